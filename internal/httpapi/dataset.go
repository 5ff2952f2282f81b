package httpapi

import (
	"fmt"
	"net/http"
	"strconv"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// serviceNS is the namespace of answers about the service.
const serviceNS = "urn:brokerage:service"

// element returns an empty element in that namespace.
func element(name string, attributes ...string) []byte {
	return appendEmpty(make([]byte, 0, 256), name, append([]string{"xmlns", serviceNS}, attributes...)...)
}

// appendEmpty appends an empty element.
func appendEmpty(dst []byte, name string, attributes ...string) []byte {
	return append(begin(dst, name, attributes...), "</"+name+">"...)
}

// begin appends a start tag. Attributes alternate between name and value.
func begin(dst []byte, name string, attributes ...string) []byte {
	dst = append(append(dst, '<'), name...)
	for i := 0; i < len(attributes); i += 2 {
		dst = append(append(append(dst, ' '), attributes[i]...), `="`...)
		dst = append(xmldoc.AppendValue(dst, attributes[i+1]), '"')
	}
	return append(dst, '>')
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
	contents, err := q.server.store.Contents(q.ctx)
	switch {
	case err != nil:
		return err
	case contents == brokerage.Contents{}:
		return errNothingHere
	}
	answer, err := q.server.describe(contents, symbols)
	if err != nil {
		return err
	}
	return q.answer(answer)
}

// describe returns the description of a dataset. For data that was not generated, it has only counts.
func (s *Server) describe(c brokerage.Contents, symbols bool) ([]byte, error) {
	attributes := []string{"xmlns", serviceNS, "fingerprint", c.Fingerprint}
	d, err := s.generatorOf(c)
	if err != nil {
		return nil, err
	}
	if d != nil {
		attributes = append(attributes, "scale", c.Scale, "profile", c.Profile,
			"seed", strconv.FormatUint(c.Seed, 10), "generator", strconv.Itoa(dataset.Version))
	}
	dst := begin(make([]byte, 0, 2048), "Dataset", attributes...)
	for _, k := range []struct {
		name  string
		kind  dataset.Kind
		count int64
	}{
		{"Securities", dataset.Security, c.Securities},
		{"Customers", dataset.Customer, c.Customers},
		{"Orders", dataset.Order, c.Orders},
	} {
		attributes := []string{"count", number(k.count)}
		if d != nil {
			attributes = append(attributes, "first", number(d.ID(k.kind, 0)))
		}
		dst = appendEmpty(dst, k.name, attributes...)
	}
	if d != nil {
		dst = appendAccounts(dst, d)
	}
	dst = appendSearch(dst)
	dst = appendStore(dst, s.store.Describe())
	if symbols && d != nil {
		dst = append(dst, "<Symbols>"...)
		for i := range int(d.Count(dataset.Security)) {
			dst = appendElement(dst, "Symbol", d.Symbol(i))
		}
		dst = append(dst, "</Symbols>"...)
	}
	return append(dst, "</Dataset>"...), nil
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// appendSearch appends the ranges from which clients draw the parameters of search_securities.
func appendSearch(dst []byte) []byte {
	dst = append(dst, "<Search>"...)
	dst = appendEmpty(dst, "PEMin", "from", "20", "to", "23")
	dst = appendEmpty(dst, "PEMax", "from", "25", "to", "27")
	dst = appendEmpty(dst, "YieldMin", "from", "4", "to", "6")
	for _, sector := range dataset.Sectors() {
		dst = appendElement(dst, "Sector", sector)
	}
	return append(dst, "</Search>"...)
}

func appendStore(dst []byte, e brokerage.Engine) []byte {
	dst = begin(dst, "Store", "engine", e.Name, "version", e.Version, "durability", e.Durability)
	for _, setting := range e.Settings {
		dst = appendEmpty(dst, "Setting", "name", setting.Name, "value", setting.Value)
	}
	for i := range brokerage.Transactions {
		name := brokerage.Transactions[i].Name
		if faithful, known := e.Faithful[name]; known {
			dst = appendEmpty(dst, "Transaction", "name", name, "faithful", string(faithful))
		}
	}
	return append(dst, "</Store>"...)
}

// appendAccounts appends the pattern of account ids, which repeats after a few customers. It is read from the
// generator.
func appendAccounts(dst []byte, d *dataset.Dataset) []byte {
	period := int64(2)
	if d.Spec().Profile == dataset.TPoX2 {
		period = 3
	}
	first := d.FirstAccount(0)
	dst = begin(dst, "Accounts", "count", number(d.TotalAccounts()), "first", number(first),
		"stride", number(d.FirstAccount(period)-first))
	for k := range period {
		offset := d.FirstAccount(k) - first
		dst = appendEmpty(dst, "Customer", "offset", number(offset), "accounts", fmt.Sprint(d.Accounts(k)))
	}
	return append(dst, "</Accounts>"...)
}

// generatorOf returns the generator of a dataset, or nil for data that was not generated.
func (s *Server) generatorOf(c brokerage.Contents) (*dataset.Dataset, error) {
	if c.Scale == "" {
		return nil, nil //nolint:nilnil // not generated
	}
	if d, ok := s.generators.Load(c); ok {
		return d.(*dataset.Dataset), nil //nolint:forcetypeassert // stored below
	}
	spec, err := dataset.ParseSpec(c.Scale, c.Profile, c.Seed)
	if err != nil {
		return nil, err
	}
	d, _ := s.generators.LoadOrStore(c, dataset.New(spec))
	return d.(*dataset.Dataset), nil //nolint:forcetypeassert // as above
}

var leaseIDs = &operation{
	name: "lease_ids", method: http.MethodPost, path: "/v1/dataset/leases", scope: access.Trade,
	links:  describedBy("service.xsd"),
	handle: (*request).leaseIDs,
}

func (q *request) leaseIDs() error {
	if err := q.accepts(); err != nil {
		return err
	}
	kind, err := q.required("kind")
	if err != nil {
		return err
	}
	if kind != "order" && kind != "customer" && kind != "account" {
		return badRequest("the parameter kind is not order, customer or account")
	}
	text, err := q.required("count")
	if err != nil {
		return err
	}
	count, err := strconv.ParseInt(text, 10, 64)
	if err != nil || brokerage.CheckLease(count) != nil {
		return badRequest("the parameter count is not a number from 1 to %d", brokerage.MaxLease)
	}
	lease, err := q.server.store.Lease(q.ctx, kind, count)
	if err != nil {
		return err
	}
	q.note("kind", kind)
	q.note("first", lease.First.String())
	q.note("count", text)
	return q.answer(element("Lease", "kind", kind, "first", lease.First.String(), "count", number(lease.Count)))
}
