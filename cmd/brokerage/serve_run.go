package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync"
	"sync/atomic"
	"time"

	"brokerage/internal/httpapi"
	"brokerage/internal/telemetry"
)

// maxHeader bounds the headers of a request: far more than a client needs here.
const maxHeader = 32 << 10

// service is what runs until it is told to stop.
type service struct {
	api      *httpapi.Server
	main     *http.Server
	beside   []*http.Server // on addresses of their own
	failed   chan error
	draining *atomic.Bool
	log      *slog.Logger

	drainDelay, shutdownTimeout time.Duration
}

// start serves on the listeners.
func (c *serveCmd) start(api *httpapi.Server, metrics *telemetry.Metrics, l listeners, certificate *tlsFiles, log *slog.Logger) *service {
	s := &service{
		api: api, log: log, failed: make(chan error, 4), draining: new(atomic.Bool),
		drainDelay: c.DrainDelay, shutdownTimeout: c.ShutdownTimeout,
	}
	s.main = c.server(s, log)
	if certificate == nil {
		go func() { s.failed <- fmt.Errorf("serving: %w", s.main.Serve(httpapi.JoinWrites(l.main))) }()
	} else {
		s.main.TLSConfig = certificate.config()
		s.main.ConnState = httpapi.ConnState
		go func() { s.failed <- fmt.Errorf("serving: %w", s.main.ServeTLS(httpapi.JoinWrites(l.main), "", "")) }()
	}
	if l.metrics != nil {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", metrics.Handler())
		s.serve("metrics", c.server(mux, log), l.metrics)
	}
	if l.debug != nil {
		server := c.server(profiles(), log)
		server.WriteTimeout = 0 // a profile takes as long as it is told to
		s.serve("profiles", server, l.debug)
	}
	return s
}

// serve serves something on an address of its own.
func (s *service) serve(what string, server *http.Server, l net.Listener) {
	s.beside = append(s.beside, server)
	go func() { s.failed <- fmt.Errorf("%s: %w", what, server.Serve(l)) }()
	s.log.Info(what, "addr", l.Addr().String())
}

// profiles are those of net/http/pprof, which would put them where everybody
// finds them.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	return mux
}

func (c *serveCmd) server(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: c.HeaderTimeout,
		ReadTimeout:       c.ReadTimeout,
		WriteTimeout:      c.WriteTimeout,
		IdleTimeout:       c.IdleTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnContext:       httpapi.ConnContext,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// ServeHTTP serves a request. While the service drains, it asks clients to use
// no connection again: one that is idle when the server stops might carry the
// next request at that very moment, and lose it.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		w.Header().Set("Connection", "close")
	}
	s.api.ServeHTTP(w, r)
}

// meanwhile does something while the service runs, and ends the service if that
// fails. What it gives is to be called at the end: it waits until nothing of it
// is left.
func (s *service) meanwhile(ctx context.Context, do func(context.Context) error) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			s.failed <- err
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// run waits for the signal, or until a part of the service fails, which is its error
// then. Either way it stops in good order: first the service says that it is not
// ready, so that no new clients come; then no new connections are taken; then
// running requests end.
func (s *service) run(ctx context.Context) (failed error) {
	select {
	case failed = <-s.failed:
		s.log.Error("a part of the service failed, so all of it stops", "error", failed)
	case <-ctx.Done():
	}
	s.log.Info("stopping", "drain_delay", s.drainDelay.String(), "shutdown_timeout", s.shutdownTimeout.String())
	s.draining.Store(true)
	s.api.Drain()
	select {
	case err := <-s.failed:
		failed = errors.Join(failed, err)
	case <-time.After(s.drainDelay):
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.shutdownTimeout)
	defer cancel()
	if err := s.shutdown(bounded); err != nil {
		return errors.Join(failed, err)
	}
	s.log.Info("stopped")
	return failed
}

// shutdown ends what is running; what does not end in time is cut off. Metrics
// are last: what goes on at the end is worth seeing.
func (s *service) shutdown(ctx context.Context) error {
	err := s.main.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(fmt.Errorf("requests were still running %s after the signal, and were cut off", s.drainDelay+s.shutdownTimeout), s.main.Close())
	}
	for _, server := range s.beside {
		err = errors.Join(err, server.Close())
	}
	return err
}
