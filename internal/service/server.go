package service

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// maxHeaderBytes bounds the headers of a request: far more than a client needs here.
const maxHeaderBytes = 32 << 10

// server runs the HTTP servers of a service until it is stopped.
type server struct {
	*service

	main     *http.Server
	others   []*http.Server // on addresses of their own
	failed   chan error
	draining atomic.Bool
}

// start serves on the listeners.
func (s *service) start() *server {
	running := &server{service: s, failed: make(chan error, 4)}
	running.main = s.httpServer(running, s.log)
	if s.certificate == nil {
		go func() { running.failed <- fmt.Errorf("serving: %w", running.main.Serve(s.listeners.main)) }()
	} else {
		running.main.TLSConfig = &tls.Config{ // each new connection gets the current certificate
			MinVersion: tls.VersionTLS13,
			NextProtos: []string{"h2", "http/1.1"},
			GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
				return s.certificate.current.Load(), nil
			},
		}
		go func() { running.failed <- fmt.Errorf("serving: %w", running.main.ServeTLS(s.listeners.main, "", "")) }()
	}
	if s.listeners.metrics != nil {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", s.insight.metrics.Handler())
		mux.Handle("GET /healthz", s.api) // for probes, which have no client certificate
		mux.Handle("GET /readyz", s.api)
		running.serveBeside("metrics", s.httpServer(mux, s.log), s.listeners.metrics)
	}
	if s.listeners.debug != nil {
		mux := http.NewServeMux() // the registration of package pprof would be on the default mux
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
		server := s.httpServer(local(mux), s.log)
		server.WriteTimeout = 0 // a request sets how long its profile takes
		running.serveBeside("profiles", server, s.listeners.debug)
	}
	return running
}

// local refuses a request for any host but this machine: a page of another site could otherwise read a profile
// through a browser, after its own name was pointed at this address (DNS rebinding).
func local(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		if ip := net.ParseIP(host); !strings.EqualFold(host, "localhost") && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "profiles are served to this machine only: use a loopback address, such as 127.0.0.1",
				http.StatusMisdirectedRequest)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// serveBeside serves metrics or profiles on an address of their own.
func (s *server) serveBeside(what string, server *http.Server, l net.Listener) {
	s.others = append(s.others, server)
	go func() { s.failed <- fmt.Errorf("%s: %w", what, server.Serve(l)) }()
	s.log.Info(what, "addr", l.Addr().String())
}

// httpServer returns a server with the timeouts of the settings.
func (c *Config) httpServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: c.HeaderTimeout,
		ReadTimeout:       c.ReadTimeout,
		WriteTimeout:      c.WriteTimeout,
		IdleTimeout:       c.IdleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// ServeHTTP serves a request. While the service drains, it tells clients to close their connections: one that is idle
// when the server stops might carry the next request at that very moment, and lose it.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		w.Header().Set("Connection", "close")
	}
	s.api.ServeHTTP(w, r)
}

// run waits until ctx is done or a part of the service fails, and then stops the service: first /readyz fails, so
// that no new clients come; then no new connections are accepted; then running requests finish, or are cut off when
// their time is over. It returns the error of the part that failed, and errors of the stop.
func (s *server) run(ctx context.Context) (failed error) {
	select {
	case failed = <-s.failed:
		s.log.Error("a part of the service failed, so all of it stops", "error", failed)
	case <-ctx.Done():
	}
	s.log.Info("stopping", "drain_delay", s.DrainDelay.String(), "shutdown_timeout", s.ShutdownTimeout.String())
	s.draining.Store(true)
	s.api.Drain()
	select {
	case err := <-s.failed:
		failed = errors.Join(failed, err)
	case <-time.After(s.DrainDelay):
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.ShutdownTimeout)
	defer cancel()
	err := s.main.Shutdown(bounded)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(
			fmt.Errorf("requests were still running %s after the signal, and were cut off", s.DrainDelay+s.ShutdownTimeout),
			s.main.Close())
	}
	for _, server := range s.others { // last, so that metrics show how the shutdown ends
		err = errors.Join(err, server.Close())
	}
	if err != nil {
		return errors.Join(failed, err)
	}
	s.log.Info("stopped")
	return failed
}
