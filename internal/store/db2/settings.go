package db2

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/brokerage"
	"brokerage/internal/redact"
	"brokerage/internal/store/trace"
)

// Settings are what a store is opened with, together with its URL or connector.
type Settings struct {
	// Schema is the schema of the tables; default: the user's own.
	Schema string
	// Setting is how to create the schema where there is none.
	Setting Setting
	// Pool is the largest number of connections; 0 is DefaultPool.
	Pool  int
	Rules brokerage.Rules
	// Registered says that an administrator has registered the schemas for XMLVALIDATE, as Script does.
	Registered bool
	// LockTimeout is how long a statement waits for a lock; 0 is the server's default.
	LockTimeout time.Duration
	// AsIs refuses a database without the current schema instead of creating it, for commands that only read.
	AsIs bool
	// Notice is called with a sentence for the administrator; it may be nil.
	Notice func(string)
	// Trace is called for every statement of a transaction; it may be nil.
	Trace trace.Begin
}

// DefaultPool is the default of Settings.Pool. Each connection of IBM's client takes some megabytes of this process and
// an agent of the server.
const DefaultPool = 32

// A target is what a URL says.
type target struct {
	host, port, database, user, password string

	passwordFile     string // holds the password; empty for none
	tls              bool
	connectTimeout   time.Duration     // 0 is the client library's default
	statementTimeout time.Duration     // how long a statement may run
	keywords         map[string]string // settings of the client library, for its connection string
	settings         Settings
}

const defaultPort, defaultTLSPort = "50000", "50001"

// The timeouts in place of cancelling, which the driver cannot do: how long a statement waits for a lock, which the
// session sets, and how long it may run at all, which the client library enforces.
const (
	defaultLockTimeout      = 5 * time.Second
	defaultStatementTimeout = 30 * time.Second
)

// PasswordVariable is the environment variable that holds the password when the URL does not.
const PasswordVariable = "BROKERAGE_DB_PASSWORD" //nolint:gosec // a name

var errURL = errors.New("not the URL of a Db2 database: db2://USER@HOST:PORT/DATABASE?SETTING=VALUE&…")

// CheckURL refuses a URL that names no database. It does not connect, and its errors do not repeat the URL, which may
// hold a password.
func CheckURL(text string) error {
	_, err := parseURL(text, noVariable)
	return err
}

func noVariable(string) string { return "" }

// parseURL reads a URL; variable returns a variable of the environment.
func parseURL(text string, variable func(string) string) (t target, err error) {
	u, err := redact.Parse(text)
	if err != nil || u.Scheme != "db2" || u.Opaque != "" || u.Fragment != "" {
		return t, errURL
	}
	password, _ := u.User.Password()
	t = target{
		host: u.Hostname(), port: u.Port(), database: strings.TrimPrefix(u.Path, "/"),
		user: u.User.Username(), password: cmp.Or(password, variable(PasswordVariable)),
		statementTimeout: defaultStatementTimeout,
		keywords:         map[string]string{"ClientApplName": "brokerage"},
		settings:         Settings{Setting: Tuned, LockTimeout: defaultLockTimeout},
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || t.host == "" || t.database == "" || strings.Contains(t.database, "/") || t.user == "" {
		return t, errURL
	}
	for _, name := range slices.Sorted(maps.Keys(query)) { // so that the first error is always the same
		if err := t.set(name, query[name]); err != nil {
			return t, err
		}
	}
	t.finish()
	values := slices.AppendSeq([]string{t.host, t.port, t.database, t.user, t.password}, maps.Values(t.keywords))
	return t, checkHoldable(values...)
}

// set sets a setting from the values that the URL has for it.
func (t *target) set(name string, values []string) error {
	p, ok := parameters[name]
	known := strings.Join(slices.Sorted(maps.Keys(parameters)), ", ")
	switch {
	case !ok && values[0] == "": // its name is not repeated: it may be the rest of a password with a "&"
		return errors.New("a setting in the URL has no value: it is one of " + known)
	case !ok:
		return fmt.Errorf("there is no setting %q for Db2: it is one of %s", name, known)
	case len(values) != 1 || values[0] == "":
		return fmt.Errorf("the setting %s needs exactly one value", name)
	case !p.read(t, values[0]):
		return fmt.Errorf("the setting %s is not %s", name, p.allowed)
	}
	return nil
}

// checkHoldable refuses values that a connection string cannot hold.
func checkHoldable(values ...string) error {
	if slices.ContainsFunc(values, func(value string) bool { return strings.ContainsAny(value, ";{}\x00") }) {
		return errors.New("names, passwords and settings may not contain any of ; { }: " +
			"Db2's connection strings cannot hold them")
	}
	return nil
}

// readPassword reads the password from its file, if one is named. A missing file is *brokerage.Unavailable, because it
// may appear later, as a Secret does.
func (t *target) readPassword() error {
	if t.passwordFile == "" {
		return nil
	}
	text, err := os.ReadFile(t.passwordFile)
	if err != nil {
		return &brokerage.Unavailable{Cause: err}
	}
	t.password = strings.TrimRight(string(text), "\r\n")
	return checkHoldable(t.password)
}

// A parameter is a setting in a URL.
type parameter struct {
	allowed string // values, for errors
	// read sets the setting, and reports whether the value is allowed. It is never empty.
	read func(t *target, value string) bool
}

var ordinaryIdentifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parameters are the settings by name. The manual describes those of the client library under "CLI/ODBC configuration
// keywords".
var parameters = map[string]parameter{
	"schema": {"an ordinary identifier", func(t *target, value string) bool {
		t.settings.Schema = strings.ToUpper(value)
		return ordinaryIdentifier.MatchString(value)
	}},
	"setting": {"box or tuned", func(t *target, value string) bool {
		t.settings.Setting = Setting(value)
		return t.settings.Setting == Box || t.settings.Setting == Tuned
	}},
	"pool": {"a number from 1 to 10000", func(t *target, value string) (ok bool) {
		n, err := strconv.Atoi(value)
		t.settings.Pool = n
		return err == nil && n >= 1 && n <= 10_000
	}},
	"password_file": {"a file", func(t *target, value string) bool {
		t.passwordFile = value
		return true
	}},
	"registered":        boolean(func(t *target) *bool { return &t.settings.Registered }),
	"tls":               boolean(func(t *target) *bool { return &t.tls }),
	"tls_ca":            keyword("SSLServerCertificate"),
	"tls_keystore":      keyword("SSLClientKeystoredb"),
	"tls_stash":         keyword("SSLClientKeystash"),
	"application":       keyword("ClientApplName"),
	"client_user":       keyword("ClientUserID"),
	"client_accounting": keyword("ClientAcctStr"),
	"connect_timeout":   seconds(func(t *target) *time.Duration { return &t.connectTimeout }),
	"lock_timeout":      seconds(func(t *target) *time.Duration { return &t.settings.LockTimeout }),
	"statement_timeout": seconds(func(t *target) *time.Duration { return &t.statementTimeout }),
}

// keyword returns a setting that the client library has under another name.
func keyword(name string) parameter {
	return parameter{"a text", func(t *target, value string) bool {
		t.keywords[name] = value
		return true
	}}
}

func boolean(field func(*target) *bool) parameter {
	return parameter{"true or false", func(t *target, value string) bool {
		is, err := strconv.ParseBool(value)
		*field(t) = is
		return err == nil
	}}
}

func seconds(field func(*target) *time.Duration) parameter {
	return parameter{"whole seconds, from 1s to 1h", func(t *target, value string) bool {
		d, err := time.ParseDuration(value)
		*field(t) = d
		return err == nil && d >= time.Second && d <= time.Hour && d%time.Second == 0
	}}
}

func secondsText(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// finish sets the default port, and the keywords that stand for other settings.
func (t *target) finish() {
	port := defaultPort
	if t.tls {
		port = defaultTLSPort
		t.keywords["Security"] = "SSL"
	}
	t.port = cmp.Or(t.port, port)
	if t.settings.Schema != "" {
		t.keywords["CurrentSchema"] = t.settings.Schema
	}
	if t.connectTimeout > 0 {
		t.keywords["ConnectTimeout"] = secondsText(t.connectTimeout)
	}
	t.keywords["QueryTimeout"] = secondsText(t.statementTimeout)
}

// dsn returns the connection string of the client library.
func (t *target) dsn() string {
	parts := []string{
		"HOSTNAME=" + t.host, "PORT=" + t.port, "DATABASE=" + t.database, "PROTOCOL=TCPIP",
		"UID=" + t.user, "PWD=" + t.password,
	}
	for _, name := range slices.Sorted(maps.Keys(t.keywords)) {
		parts = append(parts, name+"="+t.keywords[name])
	}
	return strings.Join(parts, ";")
}

// session returns the statements that each new connection runs first. A rollback does not undo a lock timeout that is
// set in this way.
func (s Settings) session() []string {
	if s.LockTimeout == 0 {
		return nil
	}
	return []string{strings.ReplaceAll(statements["set_lock_timeout"], "$seconds", secondsText(s.LockTimeout))}
}

// Name returns a database's name for logs: its URL without the password and the settings, which may hold secrets.
func Name(text string) string {
	t, err := parseURL(text, noVariable)
	if err != nil {
		return "db2:"
	}
	return "db2://" + t.user + "@" + t.host + ":" + t.port + "/" + t.database
}
