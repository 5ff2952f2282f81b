package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"brokerage/api"
	"brokerage/internal/dataset"
	"brokerage/internal/httpapi/pages"
	"brokerage/internal/tpox"
)

var (
	getHealth    = public("get_health", "/healthz", (*request).getHealth)
	getReadiness = public("get_readiness", "/readyz", (*request).getReadiness)
	getVersion   = public("get_version", "/version", (*request).getVersion)
	getMetrics   = public("get_metrics", "/metrics", (*request).getMetrics)
	getContract  = public("get_contract", "/openapi.yaml", (*request).getContract)
	getSchema    = public("get_schema", "/schema/:schema", (*request).getSchema)
	getDocs      = public("get_docs", "/docs", (*request).getPage)
	getPage      = public("get_page", "/", (*request).getPage)
)

// public returns an operation that is open to all.
func public(name, path string, handle func(*request) error) *operation {
	return &operation{name: name, method: http.MethodGet, path: path, open: true, handle: handle}
}

// writeProbe answers a probe or get_version, whatever media types the client accepts.
func (q *request) writeProbe(body []byte) error {
	mediaType, _ := q.mediaType()
	return q.write200(mediaType, body, false)
}

// getHealth answers that the service is alive, whatever the state of the store.
func (q *request) getHealth() error {
	return q.writeProbe(element("Health", "status", "alive"))
}

// readyTimeout is how long the store may take to report that it is ready. By default, Kubernetes takes a slower
// probe for a failure.
const readyTimeout = time.Second

// getReadiness answers 200 if the service can serve requests, and 503 otherwise.
func (q *request) getReadiness() error {
	if q.server.draining.Load() {
		return errStopping
	}
	if q.store == nil {
		return cmp.Or(q.server.notOpen.Load(), errNotOpen)
	}
	if log := q.server.options.Audit; log != nil { // a write without a record is refused
		if err := log.Ready(); err != nil {
			return &refused{kind: kindUnavailable, detail: errAudit.Error(), cause: fmt.Errorf("%w: %w", errAudit, err)}
		}
	}
	ctx, cancel := context.WithTimeout(q.Request.Context(), readyTimeout)
	defer cancel()
	if err := q.store.Ready(ctx); err != nil {
		return notReady("the database does not answer", err)
	}
	return q.writeProbe(element("Readiness", "status", "ready"))
}

// notReady returns a refusal with the detail of err, or with the given detail if err has none.
func notReady(detail string, err error) *refused {
	if unavailable, ok := errors.AsType[*tpox.Unavailable](err); ok && unavailable.Detail != "" {
		detail = unavailable.Detail
	}
	return &refused{kind: kindUnavailable, detail: detail, cause: err}
}

func (q *request) getVersion() error {
	attributes := []string{"version", q.server.options.Version,
		"generator", strconv.Itoa(dataset.Version), "go", runtime.Version()}
	if q.store != nil && q.store.Describe().Identity != "" {
		is := q.store.Describe()
		attributes = append(attributes, "database", is.Identity, "durability", is.Durability)
	}
	return q.writeProbe(element("Version", attributes...))
}

func (q *request) getMetrics() error {
	q.server.metrics.ServeHTTP(q.Writer, q.Request)
	return nil
}

func (q *request) getContract() error {
	contract := api.OpenAPI()
	return q.write200("application/yaml; charset=utf-8", contract, q.compresses(contract))
}

// getSchema answers with a schema file, whatever media types the client accepts. Its media type is that of any XML:
// no other is registered for schemas, and XML Schema 1.0 (part 1, 4.2.1) names application/xml.
func (q *request) getSchema() error {
	name := q.pathValue("schema")
	file, err := api.Schemas.ReadFile("schema/" + name)
	if err != nil {
		return &tpox.NotFound{What: "schema", Key: name}
	}
	return q.answer(file)
}

// getPage answers with a page or a file of a page. A file that the client has is not sent again; the names of files
// do not change between versions, so browsers ask each time.
func (q *request) getPage() error {
	path := q.Request.URL.Path
	if path == "/docs/" {
		q.Header("Location", "../docs") // relative, for a proxy that serves the service below a path
		return q.noContent(http.StatusPermanentRedirect)
	}
	file, ok := q.server.pages()[path]
	if !ok {
		return errPath
	}
	h := q.Writer.Header()
	h["Content-Security-Policy"] = []string{pages.Policy}
	h["Referrer-Policy"] = []string{"no-referrer"}
	h["Cache-Control"] = []string{"no-cache"}
	tag, compressed := file.Version, q.compresses(file.Body)
	if compressed {
		tag += gzipSuffix
	}
	q.setETag(tag)
	tags, anything, err := etags(q.Request.Header["If-None-Match"])
	if err == nil && hasVersion(tags, anything, file.Version) {
		return q.noContent(http.StatusNotModified)
	}
	return q.write200(file.MediaType, file.Body, compressed)
}
