package db2

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/brokerage"
	"brokerage/internal/redact"
	"brokerage/internal/store/trace"
)

// Settings are what a store is opened with: by a URL, or, with a connector of
// one's own, as they are.
type Settings struct {
	// Schema qualifies the tables; empty is the user's own.
	Schema string
	// Setting is how the schema is made, if there is none.
	Setting Setting
	// Pool is how many connections there are at most; 0 is DefaultPool.
	Pool  int
	Rules brokerage.Rules
	// Registered leaves the schemas for XMLVALIDATE to an administrator, who has
	// registered them as Script says.
	Registered bool
	// LockTimeout is how long a statement waits for a lock; 0 is for the server to say.
	LockTimeout time.Duration
	// AsIs is for commands that only read: a database of an older version is
	// refused instead of migrated.
	AsIs bool
	// Notice is told, in a sentence, what is worth knowing about the server, and
	// what Open does that takes long. It may be nil.
	Notice func(string)
	// Trace is told of every statement of a transaction; it may be nil.
	Trace trace.Begin
	// Engine is what the server is, if it cannot be asked as Db2 is; nil for Db2.
	Engine *brokerage.Engine
}

// DefaultPool is how many connections a store opens at most, if nobody says: a
// connection of IBM's client takes some megabytes here, and an agent there.
const DefaultPool = 32

// target is what a URL says.
type target struct {
	host, port, database, user, password string
	passwordFile                         string // has the password, if it is named
	settings                             Settings
	// keywords are those of the client library, for its connection string.
	keywords []string
}

const defaultPort, defaultTLSPort = "50000", "50001"

// The time-outs that stand in for cancelling, which the driver cannot do: how long
// a statement waits for a lock, and how long it may take at all. The client
// session sets the first, and the client library interrupts by the second.
const (
	defaultLockTimeout      = 5 * time.Second
	defaultStatementTimeout = 30 * time.Second
)

// PasswordVariable is where the password may stand instead of in the URL.
const PasswordVariable = "BROKERAGE_DB_PASSWORD" //nolint:gosec // a name

var errURL = errors.New("not the URL of a Db2 database: db2://USER@HOST:PORT/DATABASE?SETTING=VALUE&…")

// CheckURL refuses what names no database, without a look at whether it is there.
// Its errors do not repeat the URL, which may hold a password.
func CheckURL(text string) error {
	_, err := parseURL(text, func(string) string { return "" })
	return err
}

// parseURL reads a URL; variable gives one of the environment.
func parseURL(text string, variable func(string) string) (t target, err error) {
	u, err := redact.Parse(text)
	if err != nil || u.Scheme != "db2" || u.Opaque != "" || u.Fragment != "" {
		return t, errURL
	}
	t.host, t.port, t.database = u.Hostname(), u.Port(), strings.TrimPrefix(u.Path, "/")
	if t.host == "" || t.database == "" || strings.Contains(t.database, "/") || u.User == nil || u.User.Username() == "" {
		return t, errURL
	}
	t.user = u.User.Username()
	t.password, _ = u.User.Password()
	if t.password == "" {
		t.password = variable(PasswordVariable)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return t, errURL
	}
	t.settings.Setting = Tuned
	p := parameters{t: &t, lock: defaultLockTimeout, statement: defaultStatementTimeout}
	names := make([]string, 0, len(query))
	for name := range query {
		names = append(names, name)
	}
	slices.Sort(names) // the first error is always the same
	for _, name := range names {
		read, ok := parameterReaders[name]
		if !ok && query.Get(name) == "" { // not repeated: it may be the rest of a password with a "&"
			return t, errors.New("a setting in the URL has no value: " + parameterNames())
		}
		if !ok {
			return t, fmt.Errorf("there is no setting %q for Db2: %s", name, parameterNames())
		}
		if len(query[name]) != 1 || query.Get(name) == "" {
			return t, fmt.Errorf("the setting %s wants one value", name)
		}
		if err := read(&p, query.Get(name)); err != nil {
			return t, fmt.Errorf("the setting %s %w", name, err)
		}
	}
	p.finish()
	return t, holdable(append([]string{t.host, t.port, t.database, t.user, t.password, t.settings.Schema}, t.keywords...)...)
}

// holdable refuses what a connection string cannot hold.
func holdable(values ...string) error {
	for _, value := range values {
		if strings.ContainsAny(value, ";{}\x00") {
			return errors.New("names, passwords and settings may not have any of ; { } for Db2: its connection strings cannot hold them")
		}
	}
	return nil
}

// readPassword takes the password from its file, if one is named. A file that is
// not there may come, as a Secret does.
func (t *target) readPassword() error {
	if t.passwordFile == "" {
		return nil
	}
	text, err := os.ReadFile(t.passwordFile)
	if err != nil {
		return &brokerage.Unavailable{Cause: err}
	}
	t.password = strings.TrimRight(string(text), "\r\n")
	return holdable(t.password)
}

// parameters are what the settings of a URL are read into.
type parameters struct {
	t               *target
	lock, statement time.Duration
	tls             bool
}

func (p *parameters) keyword(name, value string) {
	p.t.keywords = append(p.t.keywords, name+"="+value)
}

// keyword is a setting that is one of the client library's own.
func keyword(name string) func(*parameters, string) error {
	return func(p *parameters, value string) error {
		p.keyword(name, value)
		return nil
	}
}

// parameterReaders are the settings. What they say to the client library is under
// "CLI/ODBC configuration keywords" of the manual.
var parameterReaders = map[string]func(*parameters, string) error{
	"schema": func(p *parameters, value string) error {
		if strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "" || value[0] >= '0' && value[0] <= '9' {
			return errors.New("is not an ordinary identifier")
		}
		p.t.settings.Schema = strings.ToUpper(value)
		return nil
	},
	"setting": func(p *parameters, value string) (err error) {
		var ok bool
		if p.t.settings.Setting, ok = ParseSetting(value); !ok {
			return fmt.Errorf("is neither %s nor %s", Box, Tuned)
		}
		return nil
	},
	"pool": func(p *parameters, value string) (err error) {
		if p.t.settings.Pool, err = strconv.Atoi(value); err != nil || p.t.settings.Pool < 1 || p.t.settings.Pool > 10_000 {
			return errors.New("is not a number from 1 to 10000")
		}
		return nil
	},
	"password_file": func(p *parameters, value string) error {
		p.t.passwordFile = value
		return nil
	},
	"registered": func(p *parameters, value string) (err error) {
		if p.t.settings.Registered, err = strconv.ParseBool(value); err != nil {
			return errors.New("is neither true nor false")
		}
		return nil
	},
	"tls": func(p *parameters, value string) (err error) {
		if p.tls, err = strconv.ParseBool(value); err != nil {
			return errors.New("is neither true nor false")
		}
		return nil
	},
	"tls_ca":            keyword("SSLServerCertificate"),
	"tls_keystore":      keyword("SSLClientKeystoredb"),
	"tls_stash":         keyword("SSLClientKeystash"),
	"application":       keyword("ClientApplName"),
	"client_user":       keyword("ClientUserID"),
	"client_accounting": keyword("ClientAcctStr"),
	"connect_timeout":   seconds(func(p *parameters, d time.Duration) { p.keyword("ConnectTimeout", secondsText(d)) }),
	"lock_timeout":      seconds(func(p *parameters, d time.Duration) { p.lock = d }),
	"statement_timeout": seconds(func(p *parameters, d time.Duration) { p.statement = d }),
}

func seconds(set func(*parameters, time.Duration)) func(*parameters, string) error {
	return func(p *parameters, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d < time.Second || d > time.Hour || d%time.Second != 0 {
			return errors.New("is not whole seconds, from 1s to 1h")
		}
		set(p, d)
		return nil
	}
}

func secondsText(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

func parameterNames() string {
	names := make([]string, 0, len(parameterReaders))
	for name := range parameterReaders {
		names = append(names, name)
	}
	slices.Sort(names)
	return "it is one of " + strings.Join(names, ", ")
}

// finish says what the settings come to.
func (p *parameters) finish() {
	if p.t.port == "" {
		p.t.port = defaultPort
		if p.tls {
			p.t.port = defaultTLSPort
		}
	}
	if p.tls {
		p.keyword("Security", "SSL")
	}
	if p.t.settings.Schema != "" {
		p.keyword("CurrentSchema", p.t.settings.Schema)
	}
	if !slices.ContainsFunc(p.t.keywords, func(k string) bool { return strings.HasPrefix(k, "ClientApplName=") }) {
		p.keyword("ClientApplName", "brokerage")
	}
	p.t.settings.LockTimeout = p.lock
	p.keyword("QueryTimeout", secondsText(p.statement))
}

// dsn is the connection string of the client library.
func (t target) dsn() string {
	parts := append([]string{
		"HOSTNAME=" + t.host, "PORT=" + t.port, "DATABASE=" + t.database, "PROTOCOL=TCPIP", "UID=" + t.user, "PWD=" + t.password,
	}, t.keywords...)
	return strings.Join(parts, ";")
}

// session is what each connection begins with. A lock time-out set so is not
// undone by a rollback.
func (s Settings) session() []string {
	if s.LockTimeout == 0 {
		return nil
	}
	return []string{strings.ReplaceAll(statements["set_lock_timeout"], "$seconds", secondsText(s.LockTimeout))}
}

// Name is a database as a log may have it: its URL without the password, and
// without settings, which may hold others.
func Name(text string) string {
	t, err := parseURL(text, func(string) string { return "" })
	if err != nil {
		return "db2:"
	}
	return "db2://" + t.user + "@" + t.host + ":" + t.port + "/" + t.database
}
