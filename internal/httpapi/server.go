package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"brokerage/api"
	"brokerage/internal/access"
	"brokerage/internal/brokerage"
	"brokerage/internal/httpapi/docs"
	"brokerage/internal/httpapi/front"
	"brokerage/internal/httpapi/live"
	"brokerage/internal/telemetry"
)

// Metrics are told what happens.
type Metrics interface {
	Observe(transaction, outcome string, took time.Duration, received, sent int)
	Refused(reason string)
	InFlight(delta int)
	Handler() http.Handler
}

// Tracer follows requests. Its context is for what is done for the request.
type Tracer interface {
	Request(r *http.Request, transaction string) (ctx context.Context, end func(outcome string, status int))
}

// RequestLog is a request after its end.
type RequestLog struct {
	Transaction, Method, Path, Client, RequestID string
	Status, Bytes                                int
	Took                                         time.Duration
	Err                                          error // what a problem was made of; it may say more than a client may know
}

// Options are what may be set for a server. Of the bounds, 0 is none.
type Options struct {
	Log              *slog.Logger // for faults; nil is the default one
	Version          string
	Tokens           access.Authority   // nil: everybody may do everything
	Audit            Audit              // nil: none
	Metrics          Metrics            // nil: none
	MetricsElsewhere bool               // /metrics is not served here
	Inside           func() *live.Store // of the store, for who watches; nil: nothing is known
	Traces           Tracer             // nil: none
	Timeout          time.Duration
	MaxBody          int64         // of a request; 0 is 1 MiB
	InFlight         int           // requests at once
	Queue            int           // that may wait beside them
	QueueWait        time.Duration // at most
	Rate             float64       // requests a second of one client
	LogRequest       func(context.Context, RequestLog)
}

// Server is the service as a http.Handler.
type Server struct {
	store    brokerage.Store
	options  Options
	engine   *gin.Engine
	metrics  http.Handler
	docs     http.Handler
	front    http.Handler
	live     *live.Stream
	gate     gate
	quota    quota
	running  running
	draining atomic.Bool
	now      func() time.Time
	// generators are those of the datasets that were asked about: one, in practice.
	generators sync.Map // of brokerage.Contents: *dataset.Dataset
}

// New makes a server of a store, which stays the caller's to close.
func New(store brokerage.Store, o Options) (*Server, error) {
	if store == nil {
		return nil, errors.New("httpapi: no store")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 1 << 20
	}
	s := &Server{store: store, options: o, docs: docs.Handler(api.OpenAPI()), gate: newGate(o.InFlight, o.Queue, o.QueueWait), now: time.Now}
	if o.Metrics != nil && !o.MetricsElsewhere {
		s.metrics = o.Metrics.Handler()
	}
	s.front = front.Handler(api.OpenAPI())
	s.live = live.New(telemetry.Reasons[:], s.watched)
	s.quota = quota{perSecond: o.Rate, now: func() time.Time { return s.now() }}
	s.engine = s.route()
	return s, nil
}

// ServeHTTP serves a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.engine.ServeHTTP(w, r) }

// Drain is the beginning of the end: the service says that it is not ready, and
// goes on answering. Who watches is let go: a stop waits for what ends by itself.
func (s *Server) Drain() {
	s.draining.Store(true)
	s.live.Close()
}

// Waiting is how many requests wait to be worked on.
func (s *Server) Waiting() int64 {
	_, waiting, _ := s.gate.load()
	return int64(waiting)
}

// serve makes of an operation what the router calls: all that requests have in
// common.
func (s *Server) serve(op *operation) gin.HandlerFunc {
	return func(c *gin.Context) {
		began := time.Now()
		q := &request{Context: c, server: s, op: op, id: requestID(c.Request)}
		if traces := s.options.Traces; traces != nil && !op.open && !op.endless {
			var ctx context.Context
			ctx, q.traced = traces.Request(c.Request, op.name)
			c.Request = c.Request.WithContext(ctx)
		}
		c.Writer.Header()["X-Request-Id"] = []string{q.id}
		// Not deferred alone: a panic is a problem of this request, and then logged like any other.
		if err := s.protected(q); err != nil {
			q.err = err
			q.problem(err)
		}
		s.ended(q, time.Since(began))
	}
}

// protected does the operation, and makes an error of a panic.
func (s *Server) protected(q *request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler { //nolint:errorlint // the value itself, as net/http has it
				panic(p)
			}
			err = &fault{fmt.Errorf("panic: %v", p)}
			s.options.Log.LogAttrs(q.Request.Context(), slog.LevelError, "panic",
				slog.String("transaction", q.op.name), slog.String("request_id", q.id),
				slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		}
	}()
	if q.op.open {
		return q.op.handle(q)
	}
	ctx := q.Request.Context()
	if !q.op.endless {
		var end func()
		ctx, end = outlast(q.Request) // before who asks is found out, which may have to wait for keys
		defer end()
	}
	refused := q.authorize(ctx)
	if refused != nil && q.client == nil {
		return refused
	}
	// Before 403 too: its record takes room in the audit log.
	if err := s.quota.take(q.sender()); err != nil {
		return err
	}
	if refused != nil {
		q.auditing.wanted = q.audits()
		return refused
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
	if err := q.mayWrite(); err != nil {
		return err
	}
	q.ctx = ctx
	if m := s.options.Metrics; m != nil {
		m.InFlight(1)
		defer m.InFlight(-1)
	}
	return q.op.handle(q)
}

// ended tells metrics and log.
func (s *Server) ended(q *request, took time.Duration) {
	status, size := q.Writer.Status(), max(q.Writer.Size(), 0)
	q.record(status)
	if q.traced != nil {
		q.traced(outcome(status, q.err), status)
	}
	if !q.op.endless || status >= http.StatusBadRequest { // how long somebody watched is no duration to be measured
		s.observe(q, status, size, took)
	}
	if s.options.LogRequest != nil {
		s.options.LogRequest(q.Request.Context(), RequestLog{
			Transaction: q.op.name, Method: q.Request.Method, Path: q.Request.URL.Path, Client: q.clientName(), RequestID: q.id,
			Status: status, Bytes: size, Took: took, Err: q.err,
		})
	}
}

// observe counts a request.
func (s *Server) observe(q *request, status, size int, took time.Duration) {
	reason := refusal(status, q.err)
	if m := s.options.Metrics; m != nil {
		m.Observe(q.op.name, outcome(status, q.err), took, q.received, size)
		if reason != "" {
			m.Refused(reason)
		}
	}
	if q.op.open { // probes, scrapes and pages: their times would hide those of the work
		s.live.Count(q.op.name, status)
	} else {
		s.live.Observe(q.op.name, status, took)
	}
	if reason != "" {
		s.live.Refused(reason)
	}
}
