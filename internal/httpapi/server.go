package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"brokerage/api"
	"brokerage/internal/access"
	"brokerage/internal/httpapi/pages"
	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
)

// Options configure a server. Timeout, InFlight and Rate set no limit if they are 0.
type Options struct {
	Log              *slog.Logger // for faults; default slog.Default
	Version          string
	Hosts            []string                 // accepted in the header Host, besides loopback names; nil: any
	Tokens           access.Authority         // nil: every client may do everything
	Audit            Audit                    // nil: none
	Metrics          Metrics                  // nil: none
	MetricsElsewhere bool                     // do not serve /metrics
	StoreState       func() *pages.StoreState // returns the store's figures for live streams; nil: none
	Traces           *telemetry.Traces        // nil: none
	Timeout          time.Duration            // of a request
	MaxBody          int64                    // in bytes; default 128 KiB
	InFlight         int                      // requests that run at once
	Queue            int                      // requests that wait for a free slot
	QueueWait        time.Duration            // how long a request waits for a free slot
	Rate             float64                  // requests a second of one client
	LogRequest       func(context.Context, RequestLog)
}

// Server serves the API. It is an http.Handler.
type Server struct {
	store    atomic.Pointer[tpox.Store] // nil until it is open
	notOpen  atomic.Pointer[refused]    // why it is not open, for readiness
	options  Options
	engine   *gin.Engine
	metrics  http.Handler
	pages    func() map[string]pages.File // by path; made for the first request of a page
	live     *pages.Stream
	gate     gate
	quota    quota
	draining atomic.Bool
	now      func() time.Time
	// keysInUse are the idempotency keys of running requests, with their clients.
	keysInUse sync.Map // of [2]string
	// generators caches the generators of the datasets that were described: one, in practice.
	generators sync.Map // from tpox.Contents to *dataset.Dataset
}

// New returns a server on a store, which the caller closes. Without a store, requests that need one are answered 503
// until Open.
func New(store tpox.Store, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.MaxBody <= 0 {
		o.MaxBody = int64(tpox.DefaultRules.MaxCustomer)
	}
	s := &Server{options: o, now: time.Now, quota: quota{perSecond: o.Rate}}
	if o.InFlight > 0 {
		s.gate = gate{
			slots: make(chan struct{}, o.InFlight), waiting: new(atomic.Int64), queue: int64(o.Queue), wait: o.QueueWait,
		}
	}
	if o.Metrics != nil && !o.MetricsElsewhere {
		s.metrics = o.Metrics.Handler()
	}
	s.live = pages.NewStream(func(f *pages.Figures) {
		f.Gate.Running, f.Gate.Waiting, f.Gate.Limit = s.gate.load()
		if o.StoreState != nil {
			f.Store = o.StoreState()
		}
	})
	s.pages = sync.OnceValue(func() map[string]pages.File {
		files, err := pages.Make(api.OpenAPI())
		if err != nil {
			panic(err) // a bug of the program, which the tests find
		}
		return files
	})
	s.engine = s.route()
	if store != nil {
		s.Open(store)
	}
	return s
}

// Open sets the store of a server that was made without one.
func (s *Server) Open(store tpox.Store) { s.store.Store(&store) }

// NotOpen records why there is no store yet. The answer of /readyz contains only a detail that is meant for clients.
func (s *Server) NotOpen(err error) {
	refusal := notReady(errNotOpen.detail, err)
	refusal.cause = errNotOpen
	s.notOpen.Store(refusal)
}

// ServeHTTP serves a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.engine.ServeHTTP(w, r) }

// Drain prepares a stop: the server reports that it is not ready, still answers, and ends the live streams, which a
// stop would otherwise wait for.
func (s *Server) Drain() {
	s.draining.Store(true)
	s.live.Close()
}

// Waiting returns the number of requests in the queue.
func (s *Server) Waiting() int64 {
	_, waiting, _ := s.gate.load()
	return int64(waiting)
}

// serve returns the router's handler of an operation, which does what all requests have in common.
func (s *Server) serve(op *operation) gin.HandlerFunc {
	return func(c *gin.Context) {
		began := time.Now()
		q := &request{Context: c, server: s, op: op, id: c.Request.Header.Get("X-Request-Id")}
		if q.id == "" || len(q.id) > maxRequestID || !isVisible(q.id) {
			q.id = strconv.FormatUint(rand.Uint64()|1<<63, 36)
		}
		if store := s.store.Load(); store != nil {
			q.store = *store
		}
		if traces := s.options.Traces; traces != nil && !op.open && !op.endless {
			var ctx context.Context
			ctx, q.traced = traces.Request(c.Request, op.name, op.path)
			c.Request = c.Request.WithContext(ctx)
		}
		header := c.Writer.Header()
		header["X-Request-Id"] = []string{q.id}
		header["Content-Security-Policy"], header["X-Content-Type-Options"] = sandboxed, notSniffed
		if err := s.run(q); err != nil { // also after a panic, which is answered and logged like any error
			q.err = err
			q.problem(err)
		}
		s.report(q, time.Since(began))
	}
}

// run runs the operation, and turns a panic into an error.
func (s *Server) run(q *request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler { //nolint:errorlint // the value itself, as net/http has it
				panic(p)
			}
			err = &refused{kind: kindInternal, cause: fmt.Errorf("panic: %v", p)}
			s.options.Log.LogAttrs(q.Request.Context(), slog.LevelError, "panic",
				slog.String("transaction", q.op.name), slog.String("request_id", q.id),
				slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		}
	}()
	if err := q.checkOrigin(); err != nil {
		return err
	}
	if q.op.open {
		return q.op.handle(q)
	}
	ctx := q.Request.Context()
	if err := q.admit(ctx); err != nil {
		return err
	}
	if q.op.endless {
		return q.op.handle(q)
	}
	if s.options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.options.Timeout)
		defer cancel()
	}
	if err := s.gate.enter(ctx); err != nil {
		return err
	}
	defer s.gate.leave()
	if q.audits() {
		if err := s.options.Audit.Ready(); err != nil {
			return &tpox.Unavailable{Cause: fmt.Errorf("%w: %w", errAudit, err)}
		}
		q.auditing.wanted = true
	}
	if q.store == nil {
		return errNotOpen
	}
	q.ctx = ctx
	if m := s.options.Metrics; m != nil {
		m.InFlight(1)
		defer m.InFlight(-1)
	}
	return q.op.handle(q)
}
