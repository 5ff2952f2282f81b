package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// An Admin is a connection for the tasks of a campaign that are not transactions: it reads the settings of a server and
// changes them temporarily.
type Admin struct {
	conn    *pgx.Conn
	cluster bool // of several servers
}

// Administer connects with the role of the URL, whose rights decide what the Admin can do.
func Administer(ctx context.Context, url string) (*Admin, error) {
	config, _, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	configure(config, &Options{Pool: 1})
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, connectError{err}
	}
	a := &Admin{conn: conn}
	if err = conn.QueryRow(ctx, "SELECT to_regclass('pg_dist_node') IS NOT NULL").Scan(&a.cluster); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Close closes the connection.
func (a *Admin) Close() error { return a.conn.Close(context.Background()) }

// Analyze collects statistics for the planner.
func (a *Admin) Analyze(ctx context.Context) error {
	_, err := a.conn.Exec(ctx, "ANALYZE")
	return err
}

// A ServerSetting is a setting of the server and its value in force.
type ServerSetting struct {
	Name, Value string
	Restart     bool     // changing it takes a restart
	Choices     []string // the values it may have, which depend on how the server was built; nil for any
}

// Takes reports whether the running server accepts a value for the setting.
func (s ServerSetting) Takes(value string) bool {
	return !s.Restart && (s.Choices == nil || slices.Contains(s.Choices, value))
}

// Settings returns those of the named settings that the server has.
func (a *Admin) Settings(ctx context.Context, names []string) ([]ServerSetting, error) {
	rows, _ := a.conn.Query(ctx, `SELECT name, current_setting(name), context IN ('postmaster', 'internal'), enumvals
		FROM pg_settings WHERE name = ANY($1) ORDER BY array_position($1, name)`, names)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[ServerSetting]) // the error of the query, too
}

// Altered returns the values that ALTER SYSTEM has set for the named settings, nil for one that it has not. This
// usually requires a superuser.
func (a *Admin) Altered(ctx context.Context, names []string) (map[string]*string, error) {
	rows, _ := a.conn.Query(ctx, `SELECT DISTINCT ON (n.name) n.name, f.setting
		FROM unnest($1::text[]) AS n (name)
		LEFT JOIN pg_file_settings AS f
		ON f.name = n.name AND f.sourcefile = current_setting('data_directory') || '/postgresql.auto.conf'
		ORDER BY n.name, f.seqno DESC`, names) // ForEachRow returns the error
	altered := make(map[string]*string, len(names))
	var name string
	var value *string
	_, err := pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		altered[name] = value
		return nil
	})
	return altered, err
}

// Run runs statements one by one.
func (a *Admin) Run(ctx context.Context, statements []string) error {
	for _, sql := range statements {
		if _, err := a.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// Alter sets settings by ALTER SYSTEM, resets those whose value is nil, and makes the server reload them. A setting
// that needs a restart keeps its value in force until then. On an error some may have been changed.
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

// reload waits until the server has read its settings, which new connections have then.
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

// ReadSettings parses lines such as "jit = off", as in postgresql.conf, with values without quotes.
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
		settings = append(settings, Setting{Name: name, Value: value})
	}
	return settings, nil
}
