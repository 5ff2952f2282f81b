package httpapi

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"brokerage/api"
	"brokerage/internal/dataset"
)

var (
	getHealth = &operation{
		name: "get_health", method: http.MethodGet, path: "/healthz", open: true, handle: (*request).getHealth,
	}
	getReadiness = &operation{
		name: "get_readiness", method: http.MethodGet, path: "/readyz", open: true, handle: (*request).getReadiness,
	}
	getVersion = &operation{
		name: "get_version", method: http.MethodGet, path: "/version", open: true, handle: (*request).getVersion,
	}
	getMetrics = &operation{
		name: "get_metrics", method: http.MethodGet, path: "/metrics", open: true, handle: (*request).getMetrics,
	}
	getContract = &operation{
		name: "get_contract", method: http.MethodGet, path: "/openapi.yaml", open: true, handle: (*request).getContract,
	}
	getDocs = &operation{
		name: "get_docs", method: http.MethodGet, path: "/docs", open: true, handle: (*request).getDocs,
	}
	getPage = &operation{
		name: "get_page", method: http.MethodGet, path: "/", open: true, handle: (*request).getPage,
	}
)

// writeProbe answers a probe, whatever media types it accepts.
func (q *request) writeProbe(body []byte) error {
	mediaType, _ := q.mediaType()
	return q.write200(mediaType, body, false)
}

// getHealth answers whatever the state of the store is.
func (q *request) getHealth() error {
	return q.writeProbe(element("Health", "status", "alive"))
}

// readyTimeout is how long the store may take to report that it is ready. Kubernetes takes a slower probe for a
// failure.
const readyTimeout = time.Second

// getReadiness answers whether the service can serve requests.
func (q *request) getReadiness() error {
	if q.server.draining.Load() {
		return errStopping
	}
	ctx, cancel := context.WithTimeout(q.Request.Context(), readyTimeout)
	defer cancel()
	if err := q.server.store.Ready(ctx); err != nil {
		return &unready{err}
	}
	return q.writeProbe(element("Readiness", "status", "ready"))
}

func (q *request) getVersion() error {
	return q.writeProbe(element("Version", "version", q.server.options.Version,
		"generator", strconv.Itoa(dataset.Version), "go", runtime.Version()))
}

func (q *request) getMetrics() error {
	q.server.metrics.ServeHTTP(q.Writer, q.Request)
	return nil
}

func (q *request) getContract() error {
	contract := api.OpenAPI()
	return q.write200("application/yaml; charset=utf-8", contract, q.compresses(contract))
}

func (q *request) getDocs() error { return q.page(q.server.docs) }

func (q *request) getPage() error { return q.page(q.server.front) }

// page answers with a file of a page.
func (q *request) page(files http.Handler) error {
	for _, name := range []string{"Range", "If-Match", "If-Unmodified-Since"} {
		delete(q.Request.Header, name) // or net/http would refuse them without a problem document
	}
	page := &page{ResponseWriter: q.Writer}
	files.ServeHTTP(page, q.Request)
	if page.missing {
		return errPath
	}
	return nil
}

// A page is a ResponseWriter that drops the answer for a missing file, which then becomes a problem.
type page struct {
	http.ResponseWriter

	missing bool
}

func (p *page) WriteHeader(status int) {
	if p.missing = status == http.StatusNotFound; !p.missing {
		p.ResponseWriter.WriteHeader(status)
	}
}

func (p *page) Write(b []byte) (int, error) {
	if p.missing {
		return len(b), nil
	}
	return p.ResponseWriter.Write(b)
}
