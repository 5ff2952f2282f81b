package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Admin is a connection for what a study does with a server beside the
// transactions: it looks at its settings, and changes them for a while.
type Admin struct{ conn *pgx.Conn }

// Administer connects with the role that a URL names; what it may do is up to the
// server.
func Administer(ctx context.Context, url string) (*Admin, error) {
	if err := CheckURL(url); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(url) // which knows the pool's settings, and leaves them out
	if err != nil {
		return nil, err
	}
	configure(config, 1)
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, connectError{err}
	}
	return &Admin{conn}, nil
}

// Close closes the connection.
func (a *Admin) Close() error { return a.conn.Close(context.Background()) }

// Backend is the process that serves this connection, as its own computer calls
// it, and how the title of that process begins.
func (a *Admin) Backend() (pid int, title string) {
	config := a.conn.Config()
	return int(a.conn.PgConn().PID()), config.User + " " + config.Database + " "
}

// Analyze collects what the planner goes by.
func (a *Admin) Analyze(ctx context.Context) error {
	_, err := a.conn.Exec(ctx, "ANALYZE brokerage.orders, brokerage.customers, brokerage.accounts, brokerage.securities")
	return err
}

// ServerSetting is a setting as it is in force.
type ServerSetting struct {
	Name, Value string
	Restart     bool     // it takes a restart to change it
	Choices     []string // where it has one of a few words, some of which hang on how the server was built
}

// Takes tells whether the server, running, takes a value for a setting.
func (s ServerSetting) Takes(value string) bool {
	return !s.Restart && (s.Choices == nil || slices.Contains(s.Choices, value))
}

// Settings are those of the names that the server has.
func (a *Admin) Settings(ctx context.Context, names []string) ([]ServerSetting, error) {
	rows, err := a.conn.Query(ctx, `SELECT name, current_setting(name), context IN ('postmaster', 'internal'), enumvals
		FROM pg_settings WHERE name = ANY($1) ORDER BY array_position($1, name)`, names)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[ServerSetting])
}

// Altered are settings as ALTER SYSTEM has left them; nil is for one that it has
// not touched. Only a superuser may look, as a rule.
func (a *Admin) Altered(ctx context.Context, names []string) (map[string]*string, error) {
	rows, err := a.conn.Query(ctx, `SELECT DISTINCT ON (n.name) n.name, f.setting
		FROM unnest($1::text[]) AS n (name)
		LEFT JOIN pg_file_settings AS f ON f.name = n.name AND f.sourcefile = current_setting('data_directory') || '/postgresql.auto.conf'
		ORDER BY n.name, f.seqno DESC`, names)
	if err != nil {
		return nil, err
	}
	altered := make(map[string]*string, len(names))
	var name string
	var value *string
	_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		altered[name] = value
		return nil
	})
	return altered, err
}

// Alter changes settings by ALTER SYSTEM, or takes such a change back where there
// is no value, and has the server read them. What it takes a restart to change
// stays in force as it was. On an error some may have been changed.
func (a *Admin) Alter(ctx context.Context, changes map[string]*string) error {
	if len(changes) == 0 {
		return nil
	}
	for name, value := range changes {
		sql := "ALTER SYSTEM RESET " + pgx.Identifier{name}.Sanitize()
		if value != nil {
			sql = "ALTER SYSTEM SET " + pgx.Identifier{name}.Sanitize() + " = '" + strings.ReplaceAll(*value, "'", "''") + "'"
		}
		if _, err := a.conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return a.reload(ctx)
}

// reload waits until the server has read its settings: those who connect then
// have them.
func (a *Admin) reload(ctx context.Context) error {
	var before, now time.Time
	if err := a.conn.QueryRow(ctx, "SELECT pg_conf_load_time()").Scan(&before); err != nil {
		return err
	}
	if _, err := a.conn.Exec(ctx, "SELECT pg_reload_conf()"); err != nil {
		return err
	}
	for {
		// This session reads them after the postmaster, from which others have them.
		if err := a.conn.QueryRow(ctx, "SELECT pg_conf_load_time()").Scan(&now); err != nil || now.After(before) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Forbidden tells whether an error says that the role may not do something.
func Forbidden(err error) bool {
	driver, ok := errors.AsType[*pgconn.PgError](err)
	return ok && driver.Code == insufficientPrivilege
}

// ReadSettings reads lines such as "jit = off", as postgresql.conf has them:
// names of a setting, and values without quotes.
func ReadSettings(conf string) (settings []Setting, err error) {
	for line := range strings.Lines(conf) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, " = ")
		if !ok || strings.ContainsAny(name+value, " '#") {
			return nil, fmt.Errorf("not a setting: %q", line)
		}
		settings = append(settings, Setting{name, value})
	}
	return settings, nil
}
