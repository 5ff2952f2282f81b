// Package service runs the brokerage as a service: it opens the database, waits for it if --wait is set, listens,
// serves the API of package httpapi with access control, TLS, logs, metrics, traces and an audit log, and stops without
// losing requests.
//
// [Run] starts the parts in an order in which cheap failures come first, and closes them in reverse order. [Config]
// holds every setting.
package service

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"brokerage/internal/audit"
	"brokerage/internal/httpapi"
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
	unreachable error      // why it is not open yet
	insight     *insight
	audit       *audit.Log // nil: none
	api         *httpapi.Server
}

// Run serves a database until ctx is done or a part of the service fails. Invalid settings are a *ConfigError.
func Run(ctx context.Context, c Config, p Process) (err error) {
	if err := c.Verify(); err != nil {
		return err
	}
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
	for _, open := range []func(context.Context) error{
		s.openTraces,
		s.openCredentials,
		s.openCertificate,
		s.resolveAddresses,
		s.openAudit,
		s.openDatabase,
		s.openListeners, // last of what may fail: a client that was accepted is answered
		s.openAPI,
		s.tuneCollector,
	} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	return s.serve(ctx)
}

// closing registers a function that is called when the service ends.
func (s *service) closing(shut func() error) { s.closers = append(s.closers, shut) }

// flushTimeout is how long a stopping service waits for the collector to accept its last traces.
const flushTimeout = 5 * time.Second

// openTraces starts to send traces if an endpoint is set. From then on, each line of the log has its trace id.
func (s *service) openTraces(ctx context.Context) (err error) {
	if !telemetry.TracesWanted(s.OTLPEndpoint) {
		return nil
	}
	s.traces, err = telemetry.NewTraces(ctx, s.OTLPEndpoint, s.process.Build, s.database.TraceName, s.log)
	if err != nil {
		return configErrorf("--otlp-endpoint: %w", err)
	}
	s.closing(func() error {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		_ = s.traces.Close(bounded) // what could not be sent has been logged
		return nil
	})
	s.log.Info("sending traces")
	s.log = telemetry.WithTraceIDs(s.log)
	return nil
}

func (s *service) openCredentials(ctx context.Context) (err error) {
	s.credentials, err = Await(ctx, func() (*credentials, error) { return s.readCredentials(ctx) })
	return err
}

func (s *service) openCertificate(ctx context.Context) (err error) {
	s.certificate, err = Await(ctx, s.readCertificate)
	return err
}

func (s *service) resolveAddresses(ctx context.Context) (err error) {
	s.addresses, err = Await(ctx, s.resolve)
	return err
}

func (s *service) openListeners(ctx context.Context) (err error) {
	s.listeners, err = s.addresses.listen(ctx)
	s.closing(func() error { s.listeners.close(); return nil })
	return err
}

// openDatabase opens the database. If the service is to wait for a database that cannot be reached, openLater opens it.
func (s *service) openDatabase(ctx context.Context) error {
	opened, err := s.awaitStore(ctx)
	if err != nil && (!s.Wait || !IsTransient(err)) {
		return err
	}
	s.store, s.unreachable = opened, err
	s.closing(func() error {
		if s.store == nil {
			return nil
		}
		return s.store.Close()
	})
	s.insight = newInsight(ctx, s.process.Build, s.database, s.log)
	s.closing(s.insight.close)
	if s.store != nil {
		s.insight.observe(s.store)
	}
	return nil
}

func (s *service) awaitStore(ctx context.Context) (tpox.Store, error) {
	return Await(ctx, func() (tpox.Store, error) { return s.openStore(ctx) })
}

// openAudit opens the audit log if one is set. The signal SIGHUP reopens its file.
func (s *service) openAudit(ctx context.Context) (err error) {
	switch s.AuditLog {
	case "":
		return nil
	case "-":
		s.audit = audit.To(s.process.Out, audit.Options{Fault: s.reportAudit})
	default:
		folder := filepath.Dir(s.AuditLog)
		options := audit.Options{
			Fault: s.reportAudit, Room: func() (free, size float64, known bool) { return store.DiskSpace(folder) },
			Inputs: []string{s.database.Path(), s.Tokens, s.JWKSFile, s.TLSCert, s.TLSKey, s.TLSClientCA, s.process.Config},
		}
		s.audit, err = Await(ctx, func() (*audit.Log, error) { return audit.Open(s.AuditLog, options) })
		if err != nil {
			return err
		}
	}
	s.closing(s.audit.Close)
	if s.AuditLog != "-" {
		s.closing(s.reopenAudit())
	}
	return nil
}

// reopenAudit reopens the audit log at each SIGHUP, until the function that it returns is called.
func (s *service) reopenAudit() (stop func() error) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	var reopening sync.WaitGroup
	reopening.Go(func() {
		for range hangups {
			if err := s.audit.Reopen(); err != nil {
				s.log.Error("audit log not reopened, the old file stays in use", "file", s.AuditLog, "error", err)
				continue
			}
			s.log.Info("audit log reopened", "file", s.AuditLog)
		}
	})
	return func() error {
		signal.Stop(hangups)
		close(hangups)
		reopening.Wait()
		return nil
	}
}

// reportAudit logs that the audit log cannot be written, or, without an error, that it can be again.
func (s *service) reportAudit(err error) {
	lost, isLost := errors.AsType[audit.Lost](err)
	switch {
	case isLost:
		s.log.Error("the audit log lost records while it could not be written", "file", s.AuditLog, "records", int64(lost))
	case err != nil:
		s.log.Error("cannot write the audit log, so writes are refused until it can be written", "file", s.AuditLog,
			"error", err)
	default:
		s.log.Info("the audit log can be written again", "file", s.AuditLog)
	}
}

func (s *service) openAPI(context.Context) error {
	options := s.options(s.log, s.insight.metrics, s.process.Build)
	options.MetricsElsewhere = s.MetricsAddr != ""
	options.StoreState = s.insight.live
	options.Rate = s.RateLimit
	options.LogRequest = requestLog(s.log)
	if s.traces != nil {
		options.Traces = s.traces
	}
	if s.credentials != nil {
		options.Tokens, options.Hosts = s.credentials.authorities, nil // a page does not know the token
	} else {
		options.Hosts = s.hosts()
	}
	if s.audit != nil {
		options.Audit = s.audit
		s.insight.metrics.Audit(s.audit.Backlog)
	}
	s.api = httpapi.New(s.store, options)
	s.insight.metrics.Gate(s.InFlight, s.api.Waiting)
	if s.certificate != nil {
		s.insight.metrics.Certificate(s.certificate.expiry)
	}
	return nil
}

// serve serves until ctx is done or a part of the service fails.
func (s *service) serve(ctx context.Context) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	if s.credentials != nil {
		for _, watch := range s.credentials.watch {
			go watch(watching)
		}
	}
	running := s.start(s.api, s.insight.metrics, s.listeners, s.certificate, s.log)
	if s.certificate != nil {
		s.certificate.report(s.log, "TLS")
		go s.certificate.watch(watching, reloadInterval, s.log)
	}
	addr := s.listeners.main.Addr()
	s.log.Info("listening", "addr", addr.String(), "db", s.database.Name(), "version", s.process.Build.Version)
	if s.human {
		greet(ctx, s.process.Out, s.store, s.scheme()+"://"+localAddress(addr), s.credentials != nil)
	}
	if s.unreachable != nil {
		defer running.meanwhile(ctx, s.openLater)()
	}
	return running.run(ctx)
}

// openLater opens the database as soon as that is possible.
func (s *service) openLater(ctx context.Context) error {
	retry := Retry{Open: s.awaitStore, Log: s.log, DB: s.database.Name()}
	opened, err := retry.Until(ctx, s.unreachable)
	if err != nil {
		return err
	}
	s.store = opened
	s.insight.observe(opened)
	s.api.Open(opened)
	return nil
}
