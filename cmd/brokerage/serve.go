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

	"brokerage/internal/access"
	domain "brokerage/internal/brokerage"
	"brokerage/internal/httpapi"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/guard"
	"brokerage/internal/store/postgres"
	"brokerage/internal/telemetry"
)

// Every flag is a variable as well, and a setting of --config: see environment.
type serveCmd struct {
	Config configFile `placeholder:"FILE" help:"Settings from a YAML file: the flags' names and values. Flags go before variables, variables before the file."`

	DB           string `name:"db" default:"sqlite:brokerage.db" placeholder:"URL" help:"The database: sqlite:PATH, postgres://…, db2://…, or null: which answers from memory. Default: sqlite:brokerage.db."`
	Pool         int    `placeholder:"N" help:"Connections to the database; of sqlite: those for reading. Default: for the store to say."`
	Uncompressed bool   `help:"Store new documents as they are."`
	MaxHoldings  int    `default:"30" placeholder:"N" help:"The most positions of an account. Default: 30."`
	Covered      bool   `help:"Refuse a buy that the working balance does not cover."`

	Listen         string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Where to listen; port 0 is any. Default: 127.0.0.1:8080."`
	Tokens         string `placeholder:"FILE" help:"Who may do what, see brokerage token; read again when it changes. Without it the service is open to all, and for this machine only."`
	InsecureNoAuth bool   `help:"Be open to all on other addresses too."`
	MetricsAddr    string `placeholder:"ADDR" help:"Serve /metrics there. Default: where everything is."`

	Timeout   time.Duration `default:"10s" placeholder:"TIME" help:"Of a request. Default: 10s."`
	MaxBody   byteSize      `default:"1MiB" placeholder:"SIZE" help:"Of a request. Default: 1MiB."`
	InFlight  int           `default:"256" placeholder:"N" help:"Requests at once; 0 is any number. Default: 256."`
	Queue     int           `default:"256" placeholder:"N" help:"Requests that may wait beside them. Default: 256."`
	QueueWait time.Duration `default:"500ms" placeholder:"TIME" help:"How long they may. Default: 500ms."`
	RateLimit float64       `placeholder:"N" help:"Requests a second of one client, by its token or else its address; beyond it 429. Default: no bound."`

	HeaderTimeout time.Duration `default:"5s" placeholder:"TIME" help:"For the headers of a request to come. Default: 5s."`
	ReadTimeout   time.Duration `default:"15s" placeholder:"TIME" help:"For all of a request to come. Default: 15s."`
	WriteTimeout  time.Duration `default:"30s" placeholder:"TIME" help:"From the headers of a request to the end of its answer. Default: 30s."`
	IdleTimeout   time.Duration `default:"2m" placeholder:"TIME" help:"Of a connection between requests. Default: 2m."`

	DrainDelay      time.Duration `default:"0s" placeholder:"TIME" help:"How long to go on serving, but not be ready, after a signal to stop. Default: 0s; behind a load balancer, a little more than the time between two of its checks."`
	ShutdownTimeout time.Duration `default:"30s" placeholder:"TIME" help:"For running requests to end after that. Default: 30s."`

	LogLevel  slog.Level `default:"info" placeholder:"LEVEL" help:"debug, info, warn or error. Default: info."`
	LogFormat string     `default:"auto" enum:"auto,human,json" placeholder:"FORMAT" help:"human, json, or auto: for a person on a terminal, JSON elsewhere. Default: auto."`
}

// Run serves until ctx is done.
func (c *serveCmd) Run(ctx context.Context, s streams) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	human := c.LogFormat == "human" || c.LogFormat == "auto" && isTerminal(s.err)
	log := telemetry.Logger(s.err, human, c.LogLevel)

	tokens, err := c.tokens()
	if err != nil {
		return err
	}
	// Before the database: an address in use is told at once, and not after a migration.
	listeners, err := c.listen(ctx, tokens != nil)
	if err != nil {
		return err
	}
	defer listeners.close()

	inner, err := c.open(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inner.Close()) }()

	build := buildInfo()
	metrics := telemetry.New(build)
	if stats := storeStats(inner); stats != nil {
		metrics.Store(stats)
	}
	guarded := guard.New(inner, guard.Options{Timeout: c.Timeout})
	options := httpapi.Options{
		Log:              log,
		Version:          build.Version,
		Metrics:          metrics,
		MetricsElsewhere: c.MetricsAddr != "",
		Timeout:          c.Timeout,
		MaxBody:          int64(c.MaxBody),
		InFlight:         c.InFlight,
		Queue:            c.Queue,
		QueueWait:        c.QueueWait,
		Rate:             c.RateLimit,
		LogRequest:       requestLog(log),
	}
	if tokens != nil {
		options.Tokens = tokens
		if tokens.Len() == 0 {
			log.Warn("there is no token, so nobody may do anything", "file", c.Tokens)
		}
		watching, stop := context.WithCancel(ctx)
		defer stop()
		go tokens.Watch(watching, lookEvery, func(err error) { tellReload(log, c.Tokens, tokens.Len(), err) })
	}
	api, err := httpapi.New(guarded, options)
	if err != nil {
		return err
	}
	service := c.start(api, metrics, listeners, log)
	log.Info("listening", "addr", listeners.main.Addr().String(), "db", c.dbName(), "version", build.Version)
	if human {
		greet(ctx, s.out, guarded, listeners.main.Addr(), tokens != nil)
	}
	return service.run(ctx)
}

// lookEvery is how soon a change to the file of tokens counts.
const lookEvery = time.Second

func tellReload(log *slog.Logger, file string, n int, err error) {
	if err != nil {
		log.Error("tokens not reloaded, the old ones go on to count", "file", file, "error", err)
		return
	}
	log.Info("tokens reloaded", "file", file, "tokens", n)
}

// check refuses settings that do not go together.
func (c *serveCmd) check() error {
	if _, _, err := store.Parse(c.DB); err != nil {
		return usagef("--db: %w", err)
	}
	switch {
	case c.Tokens != "" && c.InsecureNoAuth:
		return usagef("--insecure-no-auth is for a service without --tokens")
	case c.MaxHoldings < 1:
		return usagef("--max-holdings must be at least 1")
	case c.Pool < 0 || c.InFlight < 0 || c.Queue < 0 || c.RateLimit < 0:
		return usagef("--pool, --in-flight, --queue and --rate-limit must not be below 0")
	case c.Timeout < 0 || c.QueueWait < 0 || c.HeaderTimeout < 0 || c.ReadTimeout < 0 || c.WriteTimeout < 0 || c.IdleTimeout < 0 ||
		c.DrainDelay < 0 || c.ShutdownTimeout < 0:
		return usagef("a time must not be below 0")
	case c.WriteTimeout > 0 && c.WriteTimeout <= c.Timeout+c.QueueWait:
		// The connection would be cut before the client is told that it took too long.
		return usagef("--write-timeout must be longer than --timeout and --queue-wait together")
	}
	return nil
}

// tokens reads the file of tokens, if there is to be one.
func (c *serveCmd) tokens() (*access.Tokens, error) {
	if c.Tokens == "" {
		return nil, nil
	}
	return access.Load(c.Tokens)
}

// dbName is the database as it may stand in a log: the rest of a URL may hold a
// password.
func (c *serveCmd) dbName() string {
	scheme, rest, _ := store.Parse(c.DB)
	switch scheme {
	case store.SQLite:
		return scheme + ":" + rest
	case store.Postgres:
		return postgres.Name(c.DB)
	case store.DB2:
		return db2.Name(c.DB)
	}
	return scheme + ":"
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
