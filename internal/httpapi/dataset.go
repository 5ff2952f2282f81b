package httpapi

import (
	"net/http"
	"strconv"

	"brokerage/internal/access"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

// element returns an empty element in the namespace of answers about the service.
func element(name string, attributes ...string) []byte {
	return xmldoc.AppendEmpty(make([]byte, 0, 256), name, append([]string{"xmlns", store.ServiceNS}, attributes...)...)
}

var getDataset = &operation{
	name: "get_dataset", method: http.MethodGet, path: "/v1/dataset", scope: access.Read,
	links:  describedBy("service.xsd"),
	handle: (*request).getDataset,
}

func (q *request) getDataset() error {
	symbols, err := q.flag("symbols", "true", "false", false)
	if err != nil {
		return err
	}
	if err := q.accepts(); err != nil {
		return err
	}
	contents, err := q.store.Contents(q.ctx)
	switch {
	case err != nil:
		return err
	case contents == tpox.Contents{}:
		return errNoDataset
	}
	var generator *dataset.Dataset // nil for data that was not generated
	if contents.Scale != "" {
		generators := &q.server.generators
		made, ok := generators.Load(contents)
		if !ok {
			spec, err := dataset.ParseSpec(contents.Scale, contents.Profile, contents.Seed)
			if err != nil {
				return &refused{kind: kindInternal, cause: err}
			}
			made, _ = generators.LoadOrStore(contents, dataset.New(spec))
		}
		generator, _ = made.(*dataset.Dataset)
	}
	return q.answer(store.DescribeDataset(contents, generator, q.store.Describe(), symbols))
}

var leaseIDs = &operation{
	name: "lease_ids", method: http.MethodPost, path: "/v1/dataset/leases", scope: access.Trade,
	links:  describedBy("service.xsd"),
	handle: (*request).leaseIDs,
}

// leaseIDs requires the media type of other writes, although there is no body: a page of another origin could send a
// POST without a media type.
func (q *request) leaseIDs() error {
	if err := checkMediaType(q.Request.Header); err != nil {
		return err
	}
	if err := q.accepts(); err != nil {
		return err
	}
	kind, err := q.required("kind")
	if err != nil {
		return err
	}
	if tpox.CheckLease(kind, 1) != nil {
		return badRequest("the parameter kind is not order, customer or account")
	}
	text, err := q.required("count")
	if err != nil {
		return err
	}
	count, err := strconv.ParseInt(text, 10, 64)
	if err != nil || tpox.CheckLease(kind, count) != nil {
		return badRequest("the parameter count is not a number from 1 to %d", tpox.MaxLease)
	}
	lease, err := q.store.Lease(q.ctx, kind, count)
	if err != nil {
		return err
	}
	q.note("kind", kind)
	q.note("first", lease.First.String())
	q.note("count", text)
	return q.answer(element("Lease",
		"kind", kind, "first", lease.First.String(), "count", strconv.FormatInt(lease.Count, 10)))
}
