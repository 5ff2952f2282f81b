// Package service runs the brokerage as a service: it opens the database, listens, waits for the database if --wait
// is set, serves the API of package httpapi with access control, TLS, logs, metrics, traces and an audit log, and
// stops without losing requests.
//
// [Run] starts the parts in an order in which cheap failures come first, and closes them in reverse order. [Config]
// holds every setting.
package service

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"brokerage/internal/audit"
	"brokerage/internal/format"
	"brokerage/internal/httpapi"
	"brokerage/internal/probe"
	"brokerage/internal/store"
	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
)

// Process is the process that a service runs in.
type Process struct {
	Out, Err io.Writer // greeting and audit log; log
	Terminal bool      // Err is a terminal
	Build    telemetry.BuildInfo
	Config   string // file that settings come from; "" for none
}

// service is a service that starts, runs or stops.
type service struct {
	Config

	process  Process
	log      *slog.Logger
	human    bool // the log is for people, and so there is a greeting
	database store.Database
	closers  []func() error // in the order in which the parts were opened

	traces      *telemetry.Traces // nil: none
	credentials *credentials      // nil: open to all
	certificate *certificate      // nil: no TLS
	addresses   addresses
	listeners   listeners
	store       tpox.Store // nil until it is open
	unreachable error      // why the store is not open yet
	insight     *insight
	audit       *audit.Log // nil: none
	api         *httpapi.Server
}

// Run serves a database until ctx is done or a part of the service fails. Invalid settings are a *ConfigError.
func Run(ctx context.Context, c Config, p Process) (err error) {
	if err := c.Verify(); err != nil {
		return err
	}
	c.firstStart()
	s := &service{Config: c, process: p, human: c.LogFormat == "human" || c.LogFormat == "auto" && p.Terminal}
	s.log = telemetry.Logger(p.Err, s.human, c.LogLevel)
	if s.database, err = store.Find(c.DB); err != nil {
		return err
	}
	defer func() {
		for _, shut := range slices.Backward(s.closers) {
			err = errors.Join(err, shut())
		}
	}()
	if err := s.openTraces(ctx); err != nil {
		return err
	}
	s.insight = newInsight(ctx, s.process.Build, s.log)
	if s.credentials, err = Await(ctx, s.readCredentials); err != nil {
		return err
	}
	if s.certificate, err = Await(ctx, s.readCertificate); err != nil {
		return err
	}
	if s.addresses, err = Await(ctx, s.resolveAddresses); err != nil {
		return err
	}
	if err := s.openAudit(ctx); err != nil {
		return err
	}
	if err := s.openDatabase(ctx); err != nil {
		return err
	}
	if s.listeners, err = s.addresses.listen(ctx); err != nil {
		return err
	}
	s.onClose(func() error { s.listeners.close(); return nil })
	s.openAPI()
	s.tuneCollector()
	return s.serve(ctx)
}

// garbagePercent is how much garbage may gather until it is collected, in percent of the live memory (GOGC). Near the
// memory limit, Go collects more often.
const garbagePercent = 200

// tuneCollector sets the targets of the garbage collector, except for those that GOGC and GOMEMLIMIT set. The limit is
// three quarters of the memory that this process may use, because Go does not count SQLite's page caches.
func (s *service) tuneCollector() {
	if os.Getenv("GOGC") == "" {
		before := debug.SetGCPercent(garbagePercent)
		s.onClose(func() error { debug.SetGCPercent(before); return nil })
	}
	usable := probe.Here.UsableMemory()
	if usable == 0 || os.Getenv("GOMEMLIMIT") != "" {
		return // the memory is unknown, or the limit is set already
	}
	limit := usable / 4 * 3
	before := debug.SetMemoryLimit(limit)
	s.onClose(func() error { debug.SetMemoryLimit(before); return nil })
	s.log.Info("memory", "usable", format.Bytes(usable), "go_limit", format.Bytes(limit))
}

// onClose registers a function that is called when the service ends.
func (s *service) onClose(end func() error) { s.closers = append(s.closers, end) }

// flushTimeout is how long a stopping service waits for the collector to accept its last traces.
const flushTimeout = 5 * time.Second

// openTraces starts to send traces if an endpoint is set. From then on, log lines of traced requests have a trace id.
func (s *service) openTraces(ctx context.Context) (err error) {
	if !telemetry.TracesWanted(s.OTLPEndpoint) {
		return nil
	}
	s.traces, err = telemetry.NewTraces(ctx, s.OTLPEndpoint, s.process.Build, s.database.TraceName, s.log)
	if err != nil {
		return configErrorf("--otlp-endpoint: %w", err)
	}
	s.onClose(func() error {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		_ = s.traces.Close(bounded) // the exporter logs failures to send
		return nil
	})
	s.log.Info("sending traces")
	s.log = telemetry.WithTraceIDs(s.log)
	return nil
}

// openDatabase opens the database. With --wait, a database that cannot be reached yet is opened by serve.
func (s *service) openDatabase(ctx context.Context) error {
	opened, err := Await(ctx, s.openStore)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // instead of the error of the interrupted attempt
	}
	if err != nil && (!s.Wait || !IsTransient(err)) {
		return err
	}
	s.store, s.unreachable = opened, err
	s.onClose(func() error {
		if s.store == nil {
			return nil
		}
		return s.store.Close()
	})
	s.insight.observeDisk(s.database.Path())
	s.onClose(s.insight.close)
	if s.store != nil {
		s.insight.observe(s.store)
	}
	return nil
}

// openAPI makes the API of the store, which may not be open yet.
func (s *service) openAPI() {
	options := httpapi.Options{
		Log: s.log, Version: s.process.Build.Version, Metrics: s.insight.metrics, MetricsElsewhere: s.MetricsAddr != "",
		StoreState: s.insight.storeState, Traces: s.traces, Timeout: s.Timeout, MaxBody: int64(s.MaxBody),
		InFlight: s.InFlight, Queue: s.Queue, QueueWait: s.QueueWait, Rate: s.RateLimit, LogRequest: requestLog(s.log),
	}
	if s.credentials != nil {
		options.Tokens = s.credentials.authorities // with any host: a page of another site has no token
	} else {
		named, _, _ := net.SplitHostPort(s.Listen)
		own, _, _ := net.SplitHostPort(s.listeners.main.Addr().String())
		options.Hosts = append([]string{named, own}, s.Host...)
	}
	if s.audit != nil {
		options.Audit = s.audit
	}
	s.api = httpapi.New(s.store, options)
	sources := telemetry.Sources{Limit: s.InFlight, Waiting: s.api.Waiting}
	if s.audit != nil {
		sources.Audit = s.audit.Backlog
	}
	if s.certificate != nil {
		sources.Certificate = s.certificate.expiry
		s.insight.metrics.Reloaded("certificate", nil)
	}
	s.insight.metrics.Service(sources)
}

// serve serves until ctx is done or a part of the service fails. A database that could not be reached is opened as soon
// as that is possible.
func (s *service) serve(ctx context.Context) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	if s.credentials != nil {
		for _, watch := range s.credentials.watch {
			go watch(watching)
		}
	}
	running := s.start()
	if s.certificate != nil {
		s.certificate.report(s.log, "TLS")
		go s.certificate.watch(watching, reloadInterval, s.log, func(err error) {
			s.insight.metrics.Reloaded("certificate", err)
		})
	}
	s.log.Info("listening", "addr", s.listeners.main.Addr().String(), "db", s.database.Name(),
		"version", s.process.Build.Version)
	if s.human {
		s.greet(ctx)
	}
	if s.unreachable == nil {
		return running.run(ctx)
	}
	s.api.NotOpen(s.unreachable)
	var opening sync.WaitGroup
	opening.Go(func() {
		open := func(ctx context.Context) (tpox.Store, error) {
			opened, err := Await(ctx, s.openStore)
			s.api.NotOpen(err)
			return opened, err
		}
		retry := Retry{Open: open, Log: s.log, DB: s.database.Name()}
		opened, err := retry.Until(watching, s.unreachable)
		if err != nil {
			if watching.Err() == nil {
				running.failed <- err
			}
			return
		}
		s.store = opened
		s.insight.observe(opened)
		s.api.Open(opened)
	})
	err := running.run(ctx)
	stop()
	opening.Wait()
	return err
}
