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

// writeProbe answers a probe, which is not refused for what it accepts.
func (q *request) writeProbe(body []byte) error {
	mediaType, _ := q.mediaType()
	return q.write200(mediaType, body, false)
}

// getHealth says that the process is alive, whatever the store does.
func (s *Server) getHealth(q *request) error {
	return q.writeProbe(element("Health", "status", "alive"))
}

// readyWithin is how long the store may take to say that it is ready: a probe
// that waits longer is taken for a failure anyway.
const readyWithin = time.Second

// getReadiness says whether to send requests here.
func (s *Server) getReadiness(q *request) error {
	if s.draining.Load() {
		return errStopping
	}
	ctx, cancel := context.WithTimeout(q.Request.Context(), readyWithin)
	defer cancel()
	if err := s.store.Ready(ctx); err != nil {
		return &unready{err}
	}
	return q.writeProbe(element("Readiness", "status", "ready"))
}

func (s *Server) getVersion(q *request) error {
	about := element("Version", "version", s.options.Version, "generator", strconv.Itoa(dataset.Version), "go", runtime.Version())
	return q.writeProbe(about)
}

func (s *Server) getMetrics(q *request) error {
	s.metrics.ServeHTTP(q.Writer, q.Request)
	return nil
}

func (s *Server) getContract(q *request) error {
	contract := api.OpenAPI()
	return q.write200("application/yaml; charset=utf-8", contract, q.packs(contract))
}

func (s *Server) getDocs(q *request) error { return q.page(s.docs) }

func (s *Server) getPage(q *request) error { return q.page(s.front) }

// page answers with a file of a page.
func (q *request) page(files http.Handler) error {
	for _, name := range []string{"Range", "If-Match", "If-Unmodified-Since"} {
		delete(q.Request.Header, name) // ignored here, or they would be refused without a problem document
	}
	page := &page{ResponseWriter: q.Writer}
	files.ServeHTTP(page, q.Request)
	if page.missing {
		return errPath
	}
	return nil
}

// page keeps back what is said of a file that there is not.
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
