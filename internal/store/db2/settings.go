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

	"brokerage/internal/format"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Options are the settings of a store. Open takes Schema and LockTimeout from its URL instead.
type Options struct {
	// Schema is the schema of the tables.
	Schema string
	// Pool is the largest number of connections for requests, and of those for administration; 0 is DefaultPool.
	Pool  int
	Rules tpox.Rules
	// LockTimeout is how long a statement waits for a lock; 0 is the server's default.
	LockTimeout time.Duration
	// AsIs refuses a database without the schema instead of creating it, for commands that only read.
	AsIs bool
	// Notice is called with a sentence for the administrator; it may be nil.
	Notice func(string)
	// Trace is called for every statement of a transaction; it may be nil.
	Trace store.Trace
}

// DefaultPool is the default of Options.Pool. Each connection of IBM's client takes some megabytes of this process and
// an agent of the server.
const DefaultPool = 32

// A target is a parsed URL.
type target struct {
	host, port, database, user, password string
	passwordFile                         string // holds the password; empty for none
	settings                             Options
	tls                                  bool
	statement                            time.Duration // timeout
	// keywords are settings of the client library, for its connection strings; limits are those for requests only.
	keywords, limits []string
}

// Timeouts, because the driver cannot cancel a statement. The session limits how long a statement waits for a lock,
// the client library how long a statement of a request may run in all.
const (
	defaultLockTimeout      = 5 * time.Second
	defaultStatementTimeout = 30 * time.Second
)

// PasswordVariable is the environment variable that holds the password when the URL does not.
const PasswordVariable = "BROKERAGE_DB_PASSWORD" //nolint:gosec // a name

var errURL = errors.New("not the URL of a Db2 database: db2://USER@HOST:PORT/DATABASE?SETTING=VALUE&…")

// CheckURL returns an error if a URL names no database or has a wrong setting. It does not connect, and its errors do
// not repeat the URL, which may hold a password.
func CheckURL(text string) error {
	_, err := parseURL(text)
	return err
}

// parseURL reads a URL, and the password from the environment if it is not in the URL.
func parseURL(text string) (t target, err error) {
	u, err := format.ParseURL(text)
	if err != nil || u.Scheme != "db2" || u.Opaque != "" || u.Fragment != "" {
		return t, errURL
	}
	t.host, t.port, t.database = u.Hostname(), u.Port(), strings.TrimPrefix(u.Path, "/")
	t.user = u.User.Username()
	if t.host == "" || t.database == "" || strings.Contains(t.database, "/") || t.user == "" {
		return t, errURL
	}
	password, _ := u.User.Password()
	t.password = cmp.Or(password, os.Getenv(PasswordVariable))
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return t, errURL
	}
	t.settings.LockTimeout, t.statement = defaultLockTimeout, defaultStatementTimeout
	for _, name := range slices.Sorted(maps.Keys(query)) { // so that the first error is always the same
		read, ok := parameterReaders[name]
		if !ok && query.Get(name) == "" { // the error omits the name: it may be the rest of a password with a "&"
			return t, errors.New("a setting in the URL has no value: " + parameterNames())
		}
		if !ok {
			return t, fmt.Errorf("unknown setting %q for Db2: %s", name, parameterNames())
		}
		if len(query[name]) != 1 || query.Get(name) == "" {
			return t, fmt.Errorf("the setting %s needs exactly one value", name)
		}
		if err := read(&t, query.Get(name)); err != nil {
			return t, fmt.Errorf("the setting %s %w", name, err)
		}
	}
	// The defaults, and what depends on several settings.
	if t.tls {
		t.port = cmp.Or(t.port, "50001")
		t.keyword("Security", "SSL")
		t.keywordUnlessSet(hostnameValidation, "Basic") // clients of 11.5 validate no hostname by default
	}
	t.port = cmp.Or(t.port, "50000")
	if t.settings.Schema != "" {
		t.keyword("CurrentSchema", t.settings.Schema)
	} else {
		t.settings.Schema = strings.ToUpper(t.user) // the server's default
	}
	t.keywordUnlessSet("ClientApplName", "brokerage")
	t.limits = append(t.limits, "QueryTimeout="+secondsText(t.statement))
	return t, checkHoldable(append(t.keywords, t.host, t.port, t.database, t.user, t.password, t.settings.Schema)...)
}

// checkHoldable refuses values that a connection string cannot hold.
func checkHoldable(values ...string) error {
	for _, value := range values {
		if strings.ContainsAny(value, ";{}\x00") {
			return errors.New("names, passwords and settings may not contain any of ; { }: " +
				"Db2's connection strings cannot hold them")
		}
	}
	return nil
}

// readPassword reads the password from its file, if one is named. The error is *tpox.Unavailable if that fails, because
// the file may appear later, as a Secret does.
func (t *target) readPassword() error {
	if t.passwordFile == "" {
		return nil
	}
	text, err := os.ReadFile(t.passwordFile)
	if err != nil {
		return &tpox.Unavailable{Cause: err}
	}
	t.password = strings.TrimRight(string(text), "\r\n")
	return checkHoldable(t.password)
}

func (t *target) keyword(name, value string) {
	t.keywords = append(t.keywords, name+"="+value)
}

// A reader reads a setting of a URL.
type reader func(t *target, value string) error

// keyword returns a reader for a setting that the client library has under another name.
func keyword(name string) reader {
	return func(t *target, value string) error {
		t.keyword(name, value)
		return nil
	}
}

// parameterReaders read the settings of a URL by name. Names with a capital letter are keywords of the client
// library, which the manual describes under "CLI/ODBC configuration keywords". Only keywords that the library accepts
// in a connection string are here: it ignores the rest (EnableAcr, EnableWLB, KeepAliveTimeout …) and returns a
// warning, CLI0004W, which the driver drops.
var parameterReaders = map[string]reader{
	"schema": func(t *target, value string) error {
		if !ordinaryIdentifier.MatchString(value) {
			return errors.New("is not an ordinary identifier")
		}
		t.settings.Schema = strings.ToUpper(value)
		return nil
	},
	"pool": number(10_000, func(t *target, n int) { t.settings.Pool = n }),
	"password_file": func(t *target, value string) error {
		t.passwordFile = value
		return nil
	},
	"tls": func(t *target, value string) (err error) {
		if t.tls, err = strconv.ParseBool(value); err != nil {
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
	"connect_timeout":   seconds(func(t *target, d time.Duration) { t.keyword("ConnectTimeout", secondsText(d)) }),
	"lock_timeout":      seconds(func(t *target, d time.Duration) { t.settings.LockTimeout = d }),
	"statement_timeout": seconds(func(t *target, d time.Duration) { t.statement = d }),

	"Authentication":              oneOf("Authentication", "SERVER", "SERVER_ENCRYPT", "SERVER_ENCRYPT_AES"),
	"BlockLobs":                   oneOf("BlockLobs", "0", "1"),
	"Interrupt":                   oneOf("Interrupt", "0", "1", "2"),
	"SSLClientHostnameValidation": oneOf(hostnameValidation, "Basic", "OFF"),
	"TLSVersion":                  oneOf("TLSVersion", "TLSV12", "TLSV13"),
	"ReceiveTimeout": number(32767, func(t *target, n int) {
		t.limits = append(t.limits, "ReceiveTimeout="+strconv.Itoa(n))
	}),
}

const hostnameValidation = "SSLClientHostnameValidation"

// oneOf returns a reader for a keyword of the client library that has one of the given values.
func oneOf(name string, values ...string) reader {
	return func(t *target, value string) error {
		if !slices.Contains(values, value) {
			return errors.New("is none of " + strings.Join(values, ", "))
		}
		t.keyword(name, value)
		return nil
	}
}

// number returns a reader for a setting that is a number from 1 to the given maximum.
func number(most int, set func(*target, int)) reader {
	return func(t *target, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > most {
			return fmt.Errorf("is not a number from 1 to %d", most)
		}
		set(t, n)
		return nil
	}
}

var ordinaryIdentifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// seconds returns a reader for a setting that is a duration in whole seconds, from 1s to 1h.
func seconds(set func(*target, time.Duration)) reader {
	return func(t *target, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d < time.Second || d > time.Hour || d%time.Second != 0 {
			return errors.New("is not whole seconds, from 1s to 1h")
		}
		set(t, d)
		return nil
	}
}

func secondsText(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

func parameterNames() string {
	return "use one of " + strings.Join(slices.Sorted(maps.Keys(parameterReaders)), ", ")
}

func (t *target) keywordUnlessSet(name, value string) {
	if !slices.ContainsFunc(t.keywords, func(k string) bool { return strings.HasPrefix(k, name+"=") }) {
		t.keyword(name, value)
	}
}

// dsn returns the connection string of the client library for requests.
func (t target) dsn() string { return t.connection(t.limits...) }

// adminDSN returns the connection string for administration, which has no limits: RUNSTATS alone takes hours. The 0
// also overrides the limit of a db2dsdriver.cfg.
func (t target) adminDSN() string { return t.connection("QueryTimeout=0") }

func (t target) connection(limits ...string) string {
	return strings.Join(slices.Concat([]string{
		"HOSTNAME=" + t.host, "PORT=" + t.port, "DATABASE=" + t.database, "PROTOCOL=TCPIP",
		"UID=" + t.user, "PWD=" + t.password,
	}, t.keywords, limits), ";")
}

// session returns the statement that each new connection runs first. A rollback does not undo a lock timeout that is
// set in this way.
func (s Options) session() string {
	if s.LockTimeout == 0 {
		return ""
	}
	return strings.ReplaceAll(statements["set_lock_timeout"], "$seconds", secondsText(s.LockTimeout))
}

// Name returns a database's name for logs: its URL without the password and the settings, which may hold secrets.
func Name(text string) string {
	t, err := parseURL(text)
	if err != nil {
		return "db2:"
	}
	return "db2://" + t.user + "@" + t.host + ":" + t.port + "/" + t.database
}
