package service

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// Config are the settings of a service. Each can be set by a flag, a variable or a line of the settings file; the tags
// hold its default, its range and its help text.
//
//nolint:lll // a help text is one string
type Config struct {
	DB           string   `name:"db" placeholder:"URL" help:"Database: sqlite:PATH, postgres://USER@HOST/DATABASE, db2://USER@HOST:PORT/DATABASE, or null:, which stores nothing and returns fixed answers. Default: sqlite:brokerage.db."`
	Fill         string   `placeholder:"SCALE" help:"With sqlite: fill an empty database with the generated dataset of this scale, such as tiny or XXXS. Default: tiny if --db is not given and --listen is a loopback address. Otherwise an empty database is an error; with --wait, /readyz answers 503 until it holds a dataset."`
	Replica      []string `name:"replica" sep:" " placeholder:"URL" help:"With postgres: URL of a read replica, postgres://…, for reads that are sent with the header Consistency-Token or Max-Staleness. Repeat the flag for several; in the environment variable or the file of --config, separate them by spaces. Default: none."`
	Wait         bool     `help:"Start even if the database server cannot be reached: /readyz answers 503, and the service keeps trying to connect. Default: exit with an error."`
	Pool         int      `placeholder:"N" range:"0..10000" help:"Maximum number of database connections; with sqlite, of connections for reading. 0 is the default: 2 per processor for sqlite, 16 (or pool_max_conns in the URL) for postgres, 32 (or pool in the URL) for db2."`
	NotDurable   bool     `help:"With sqlite: accept settings in the URL of --db with which a power failure may take back acknowledged writes, such as sqlite:PATH?synchronous=normal. Default: refused."`
	Uncompressed bool     `help:"With sqlite: store new documents without compression. Default: compressed."`
	MaxHoldings  int      `default:"30" placeholder:"N" range:"1..100000" help:"Maximum number of positions in an account; a buy that would add another is refused with 409. Default: 30."`
	Covered      bool     `help:"Refuse a buy that costs more than the account's working balance. Default: accepted."`

	Listen         string        `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address to listen on; port 0 takes any free port. Default: 127.0.0.1:8080."`
	Host           []string      `placeholder:"NAME" help:"Without --tokens and --jwt-issuer: a name under which clients reach the service, accepted in the header Host besides localhost, loopback addresses and the host of --listen; others are refused with 421. Repeat the flag or separate names by commas. Default: none."`
	Tokens         string        `placeholder:"FILE" help:"File of accepted tokens, made by brokerage token; reread when it changes. Default: none. Without --tokens and --jwt-issuer there is no authentication, and only clients on this machine are accepted, unless --insecure-no-auth is set."`
	JWTIssuer      string        `name:"jwt-issuer" placeholder:"URL" help:"Accept JWTs with this \"iss\" claim; requires --jwt-audience, and either --jwks-url or --jwks-file. Default: no JWTs."`
	JWTAudience    string        `name:"jwt-audience" placeholder:"NAME" help:"Required \"aud\" claim of accepted JWTs. Required with --jwt-issuer. Default: none."`
	JWTAlgorithms  []string      `name:"jwt-algorithms" default:"RS256,ES256,EdDSA" placeholder:"LIST" help:"Accepted signature algorithms of JWTs. Default: RS256,ES256,EdDSA, all that are supported."`
	JWKSURL        string        `name:"jwks-url" placeholder:"URL" help:"URL of the issuer's key set (JWKS); refreshed every five minutes, and when a token names an unknown key. Required with --jwt-issuer, unless --jwks-file is given. Default: none."`
	JWKSFile       string        `name:"jwks-file" placeholder:"FILE" help:"File with the issuer's key set (JWKS), instead of --jwks-url; reread when it changes. Default: none."`
	JWKSMaxAge     time.Duration `name:"jwks-max-age" default:"24h" placeholder:"TIME" range:"0s..8760h" help:"With --jwks-url: how long keys stay accepted while refreshing them fails. 0s means the default, because keys must expire. Default: 24h."`
	InsecureNoAuth bool          `help:"Accept clients on other machines without authentication. Default: refused."`
	TLSCert        string        `name:"tls-cert" placeholder:"FILE" help:"Serve TLS 1.3 with this certificate chain (PEM); reread when it changes. Default: no TLS."`
	TLSKey         string        `name:"tls-key" placeholder:"FILE" help:"Private key (PEM) of --tls-cert, which requires it; reread when it changes. Default: none."`
	TLSClientCA    string        `name:"tls-client-ca" placeholder:"FILE" help:"Require client certificates issued by these authorities (PEM); reread when it changes. Default: none required."`
	AuditLog       string        `name:"audit-log" placeholder:"FILE" help:"File to which a record of each write and its client is appended; - is standard output. While it cannot be written, writes are refused with 503 and the service is not ready. Default: no audit log."`
	MetricsAddr    string        `placeholder:"ADDR" help:"Separate address for /metrics, without TLS; --listen then does not serve it. Both serve /healthz and /readyz. Default: none; --listen serves /metrics."`

	Timeout   time.Duration `default:"10s" placeholder:"TIME" range:"0s..24h" help:"How long a request may take before it is answered with 504; 0s is no limit. Default: 10s."`
	MaxBody   ByteSize      `default:"128KiB" placeholder:"SIZE" range:"1..1MiB" help:"Maximum size of a request body, in bytes or with a unit such as KiB, as it is sent and as it is stored; a larger one is refused with 413. A new account or a trade that would make a customer document larger than that is refused with 409. Default: 128KiB."`
	InFlight  int           `default:"256" placeholder:"N" range:"0..100000" help:"Maximum number of requests that run at once; further ones wait (see --queue). 0 is no limit. Default: 256."`
	Queue     int           `default:"256" placeholder:"N" range:"0..100000" help:"Maximum number of requests that wait for a free slot; further ones are refused with 503. With 0, none wait. No effect with --in-flight 0. Default: 256."`
	QueueWait time.Duration `default:"500ms" placeholder:"TIME" range:"0s..24h" help:"How long a request may wait for a free slot before it is refused with 503. No effect with --in-flight 0. Default: 500ms."`
	RateLimit float64       `placeholder:"N" range:"0..1000000000" help:"Maximum number of requests per second of one client (identified by its token, or else its address), such as 100 or 0.5; further ones are refused with 429. 0 is no limit. Default: 0."`

	HeaderTimeout time.Duration `default:"5s" placeholder:"TIME" range:"0s..24h" help:"How long a client may take to send the headers of a request; 0s means --read-timeout. Default: 5s."`
	ReadTimeout   time.Duration `default:"15s" placeholder:"TIME" range:"0s..24h" help:"How long a client may take to send a whole request; 0s is no limit. Default: 15s."`
	WriteTimeout  time.Duration `default:"30s" placeholder:"TIME" range:"0s..24h" help:"Maximum time from the end of the request headers to the end of the response; then the connection is closed. Must be longer than --timeout and --queue-wait together; 0s is no limit. Default: 30s."`
	IdleTimeout   time.Duration `default:"2m" placeholder:"TIME" range:"0s..24h" help:"How long an idle connection is kept open between requests; 0s means --read-timeout. Default: 2m."`

	DrainDelay      time.Duration `default:"0s" placeholder:"TIME" range:"0s..24h" help:"How long requests are still accepted after a stop signal, while /readyz answers 503. Behind a load balancer, set it slightly longer than the interval of its health checks. Default: 0s."`
	ShutdownTimeout time.Duration `default:"30s" placeholder:"TIME" range:"0s..24h" help:"How long running requests may take to finish after --drain-delay; then they are cut off. Default: 30s."`

	DebugAddr    string `placeholder:"ADDR" help:"Loopback address that serves profiles (pprof). Default: no profiles."`
	OTLPEndpoint string `name:"otlp-endpoint" placeholder:"URL" help:"URL of the collector of traces, such as http://127.0.0.1:4318. Default: OTEL_EXPORTER_OTLP_[TRACES_]ENDPOINT, or no traces."`

	LogLevel  slog.Level `default:"info" placeholder:"LEVEL" help:"Lowest level that is logged: debug, info, warn or error. info logs all requests but successful health checks and scrapes, which debug adds; warn only those with a 5xx response; error only those with a 5xx response other than 503. Of requests beyond 100 per second, one in 100 is logged; 5xx other than 503 always. Default: info."`
	LogFormat string     `default:"auto" enum:"auto,human,json" placeholder:"FORMAT" help:"Format of the log: human, json, or auto, which is human on a terminal and json elsewhere. Default: auto."`
}

// defaultDB is the database if none is named.
const defaultDB = "sqlite:brokerage.db"

// firstStart sets the default database if none is named, and then, for a loopback address, the default of --fill.
func (c *Config) firstStart() {
	if c.DB != "" {
		return
	}
	c.DB = defaultDB
	host, _, _ := net.SplitHostPort(c.Listen) // an invalid address is refused later
	if ip := net.ParseIP(host); c.Fill == "" && (host == "localhost" || ip != nil && ip.IsLoopback()) {
		c.Fill = "tiny"
	}
}

// ConfigError is a setting with which a service cannot run.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }
func (e *ConfigError) Unwrap() error { return e.Err }

func configErrorf(format string, args ...any) error { return &ConfigError{fmt.Errorf(format, args...)} }

// Verify returns a *ConfigError for settings that are invalid or contradict each other. It opens nothing.
func (c *Config) Verify() error {
	database, err := store.Find(cmp.Or(c.DB, defaultDB))
	if err != nil {
		return configErrorf("--db: %w", err)
	}
	if err := database.RequireDurable(c.NotDurable); err != nil {
		return configErrorf("--db: %w", err)
	}
	if _, err := dataset.ParseScale(c.Fill); c.Fill != "" && err != nil {
		return configErrorf("--fill: %w", err)
	}
	if c.Fill != "" && database.Path() == "" {
		return configErrorf("--fill is for an embedded database, and --db is %s: use brokerage load for a database server",
			database.Title)
	}
	for _, url := range c.Replica {
		switch replica, err := store.Find(url); {
		case !database.HasReplicas:
			return configErrorf("--replica is for a database of PostgreSQL, and --db is %s", database.Title)
		case err != nil:
			return configErrorf("--replica: %w", err)
		case !replica.HasReplicas:
			return configErrorf("--replica: not the URL of a PostgreSQL database")
		}
	}
	isNoHost := func(text string) bool {
		_, err := netip.ParseAddr(text)
		return err != nil && (text == "" || strings.ContainsAny(text, " :/[]*"))
	}
	jwts := c.JWTAudience != "" || c.JWKSURL != "" || c.JWKSFile != ""
	switch {
	case c.WriteTimeout > 0 && c.WriteTimeout <= c.Timeout+c.QueueWait:
		// The connection would be closed before the client gets the response 504.
		return configErrorf("--write-timeout must be longer than --timeout and --queue-wait together")
	case (c.Tokens != "" || c.JWTIssuer != "") && c.InsecureNoAuth:
		return configErrorf("--insecure-no-auth is for a service without --tokens and --jwt-issuer")
	case (c.Tokens != "" || c.JWTIssuer != "") && len(c.Host) > 0:
		return configErrorf("--host is for a service without --tokens and --jwt-issuer; with them, any host is accepted")
	case slices.ContainsFunc(c.Host, isNoHost):
		return configErrorf("--host: %q is not a list of names or addresses without scheme and port, such as db.example.com",
			strings.Join(c.Host, ","))
	case c.JWTIssuer == "" && jwts:
		return configErrorf("--jwt-audience, --jwks-url and --jwks-file are for a service with --jwt-issuer")
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return configErrorf("--tls-cert and --tls-key require each other")
	case c.TLSClientCA != "" && c.TLSCert == "":
		return configErrorf("--tls-client-ca is for a service with --tls-cert")
	}
	return nil
}

// ByteSize is a number of bytes, written as 65536, 64KiB or 1MiB.
type ByteSize int64

// UnmarshalText reads a size.
func (b *ByteSize) UnmarshalText(text []byte) error {
	digits, factor := string(text), int64(1)
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if number, ok := strings.CutSuffix(digits, unit); ok {
			digits, factor = strings.TrimSpace(number), 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return fmt.Errorf("%q is not a size such as 65536, 64KiB or 1MiB", text)
	}
	*b = ByteSize(n * factor)
	return nil
}
