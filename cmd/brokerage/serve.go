package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/term"

	"brokerage/internal/audit"
	domain "brokerage/internal/brokerage"
	"brokerage/internal/httpapi"
	"brokerage/internal/store"
	"brokerage/internal/store/guard"
	"brokerage/internal/telemetry"
)

// Every flag is a variable as well, and a setting of --config: see environment.
type serveCmd struct {
	Config configFile `placeholder:"FILE" help:"Settings from a YAML file: the flags' names and values. Flags go before variables, variables before the file."`

	DB           string `name:"db" default:"sqlite:brokerage.db" placeholder:"URL" help:"The database: sqlite:PATH, postgres://…, db2://…, or null: which answers from memory. Default: sqlite:brokerage.db."`
	Wait         bool   `help:"Begin without the database if it cannot be reached yet: not ready, and trying. Not for sqlite:, which nothing has to be waited for."`
	Pool         int    `placeholder:"N" range:"0..10000" help:"Connections to the database; of sqlite: those for reading. Default: for the store to say."`
	Uncompressed bool   `help:"Store new documents as they are."`
	MaxHoldings  int    `default:"30" placeholder:"N" range:"1..100000" help:"The most positions of an account. Default: 30."`
	Covered      bool   `help:"Refuse a buy that the working balance does not cover."`

	Port           portFlag      `hidden:""`
	Listen         string        `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Where to listen; port 0 is any. Default: 127.0.0.1:8080."`
	Tokens         string        `placeholder:"FILE" help:"Who may do what, see brokerage token; read again when it changes. Without it the service is open to all, and for this machine only."`
	JWTIssuer      string        `name:"jwt-issuer" placeholder:"URL" help:"Take JWTs of this issuer too."`
	JWTAudience    string        `name:"jwt-audience" placeholder:"NAME" help:"Required aud claim of accepted JWTs."`
	JWTAlgorithms  []string      `name:"jwt-algorithms" default:"RS256,ES256,EdDSA" placeholder:"LIST" help:"Accepted signature algorithms of JWTs. Default: RS256,ES256,EdDSA."`
	JWKSURL        string        `name:"jwks-url" placeholder:"URL" help:"The issuer's keys; refreshed every five minutes, and when a token names an unknown key. Or use --jwks-file."`
	JWKSFile       string        `name:"jwks-file" placeholder:"FILE" help:"The issuer's keys; read again when it changes."`
	JWKSMaxAge     time.Duration `name:"jwks-max-age" default:"24h" placeholder:"TIME" range:"0s..8760h" help:"How long keys are accepted while refreshing them fails. Default: 24h."`
	InsecureNoAuth bool          `help:"Be open to all on other addresses too."`
	TLSCert        string        `name:"tls-cert" placeholder:"FILE" help:"Serve TLS 1.3, with this certificate and those above it. All three are read again when they change."`
	TLSKey         string        `name:"tls-key" placeholder:"FILE" help:"The certificate's key."`
	TLSClientCA    string        `name:"tls-client-ca" placeholder:"FILE" help:"Take only clients with a certificate by one of these."`
	AuditLog       string        `name:"audit-log" placeholder:"FILE" help:"Write down who changed what; - is the standard output. While that cannot be done, nothing is changed. Default: none."`
	MetricsAddr    string        `placeholder:"ADDR" help:"Serve /metrics there. Default: where everything is."`

	Timeout   time.Duration `default:"10s" placeholder:"TIME" range:"0s..24h" help:"How long a request may take before it is answered with 504. Default: 10s."`
	MaxBody   byteSize      `default:"1MiB" placeholder:"SIZE" range:"1..1GiB" help:"Largest body of a request; beyond it 413. Default: 1MiB."`
	InFlight  int           `default:"256" placeholder:"N" range:"0..100000" help:"Requests that run at once; 0 is no limit. Default: 256."`
	Queue     int           `default:"256" placeholder:"N" range:"0..100000" help:"Requests that may wait for one of those slots; beyond it 503. Default: 256."`
	QueueWait time.Duration `default:"500ms" placeholder:"TIME" range:"0s..24h" help:"How long a request may wait for a free slot before it is refused with 503. Default: 500ms."`
	RateLimit float64       `placeholder:"N" range:"0..1000000000" help:"Requests a second of one client, by its token or else its address; beyond it 429. Default: no bound."`

	HeaderTimeout time.Duration `default:"5s" placeholder:"TIME" range:"0s..24h" help:"How long a client may take to send the headers of a request. Default: 5s."`
	ReadTimeout   time.Duration `default:"15s" placeholder:"TIME" range:"0s..24h" help:"How long a client may take to send a whole request. Default: 15s."`
	WriteTimeout  time.Duration `default:"30s" placeholder:"TIME" range:"0s..24h" help:"From the headers of a request to the end of its answer. Default: 30s."`
	IdleTimeout   time.Duration `default:"2m" placeholder:"TIME" range:"0s..24h" help:"How long a connection is kept open between requests. Default: 2m."`

	DrainDelay      time.Duration `default:"0s" placeholder:"TIME" range:"0s..24h" help:"How long to go on serving, but not be ready, after a signal to stop. Default: 0s; behind a load balancer, a little more than the time between two of its checks."`
	ShutdownTimeout time.Duration `default:"30s" placeholder:"TIME" range:"0s..24h" help:"How long running requests may take to end after that. Default: 30s."`

	DebugAddr    string `placeholder:"ADDR" help:"Serve profiles (pprof) there, for this machine only. Default: no profiles."`
	OTLPEndpoint string `name:"otlp-endpoint" placeholder:"URL" help:"Send traces to this collector, such as http://127.0.0.1:4318. Default: what OTEL_EXPORTER_OTLP_ENDPOINT says, or no traces."`

	LogLevel  slog.Level `default:"info" placeholder:"LEVEL" help:"debug, info, warn or error. info has a line for each request, but one of 100 beyond 100 a second; warn has none. Default: info."`
	LogFormat string     `default:"auto" enum:"auto,human,json" placeholder:"FORMAT" help:"human, json, or auto: for a person on a terminal, JSON elsewhere. Default: auto."`
}

// Run serves until ctx is done.
func (c *serveCmd) Run(ctx context.Context, s streams) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	human := c.LogFormat == "human" || c.LogFormat == "auto" && isTerminal(s.err)
	log := telemetry.Logger(s.err, human, c.LogLevel)

	build := buildInfo()
	traces, log, err := c.traces(ctx, build, log)
	if err != nil {
		return err
	}
	defer traces.close(ctx)
	gate, err := await(ctx, func() (*gatekeeper, error) { return c.gatekeeper(ctx, log, traces) })
	if err != nil {
		return err
	}
	certificate, err := await(ctx, c.tls)
	if err != nil {
		return err
	}
	// Before the database: an address in use is told at once, and not after a migration.
	listeners, err := await(ctx, func() (listeners, error) { return c.listen(ctx, gate != nil) })
	if err != nil {
		return err
	}
	defer listeners.close()

	open := func(ctx context.Context) (domain.Store, error) {
		return await(ctx, func() (domain.Store, error) { return c.open(ctx, log, traces.begin()) })
	}
	inner, missing := open(ctx)
	if missing != nil && (!c.Wait || !heals(missing)) {
		return missing
	}
	guarded := guard.Later(guard.Options{Timeout: c.Timeout}, missing)
	if missing == nil {
		guarded.Open(inner)
	}
	defer func() { err = errors.Join(err, guarded.Close()) }()

	inside := c.newInsight(ctx, build, log)
	defer inside.close()
	if missing == nil {
		inside.look(inner)
	}
	trail, err := await(ctx, func() (*audit.Log, error) { return c.audit(s, log) })
	if err != nil {
		return err
	}
	if trail != nil {
		defer func() { err = errors.Join(err, trail.Close()) }()
	}
	options := httpapi.Options{
		Log:              log,
		Version:          build.Version,
		Metrics:          inside.metrics,
		MetricsElsewhere: c.MetricsAddr != "",
		Inside:           inside.live,
		Traces:           traces.tracer(),
		Timeout:          c.Timeout,
		MaxBody:          int64(c.MaxBody),
		InFlight:         c.InFlight,
		Queue:            c.Queue,
		QueueWait:        c.QueueWait,
		Rate:             c.RateLimit,
		LogRequest:       requestLog(log),
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	if gate != nil {
		options.Tokens = gate.authority()
		gate.watch(watching, log)
	}
	if trail != nil {
		options.Audit = trail
		inside.metrics.Audit(trail.Backlog)
	}
	api, err := httpapi.New(guarded, options)
	if err != nil {
		return err
	}
	inside.metrics.Gate(c.InFlight, api.Waiting)
	service := c.start(api, inside.metrics, listeners, certificate, log)
	if certificate != nil {
		certificate.tell(log, "TLS")
		go certificate.watch(watching, lookEvery, log)
	}
	log.Info("listening", "addr", listeners.main.Addr().String(), "db", store.Name(c.DB), "version", build.Version)
	if missing != nil {
		w := &waiting{open: open, log: log, db: store.Name(c.DB)}
		defer service.meanwhile(ctx, func(ctx context.Context) error { return w.serve(ctx, missing, guarded, inside) })()
	}
	if human {
		greet(ctx, s.out, guarded, c.scheme()+"://"+reachable(listeners.main.Addr()), gate != nil)
	}
	return service.run(ctx)
}

// check refuses settings that do not go together.
func (c *serveCmd) check() error {
	if _, _, err := store.Parse(c.DB); err != nil {
		return usagef("--db: %w", err)
	}
	if c.WriteTimeout > 0 && c.WriteTimeout <= c.Timeout+c.QueueWait {
		// The connection would be cut before the client is told that it took too long.
		return usagef("--write-timeout must be longer than --timeout and --queue-wait together")
	}
	return c.checkAccess()
}

// rules are those of the brokerage.
func (c *serveCmd) rules() domain.Rules {
	return domain.Rules{MaxHoldings: c.MaxHoldings, Covered: c.Covered}
}

// isTerminal tells whether a person looks.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func buildInfo() telemetry.BuildInfo {
	build := telemetry.BuildInfo{Version: "unknown", Revision: "unknown", GoVersion: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build
	}
	build.Version = info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			build.Revision = setting.Value
		}
	}
	return build
}
