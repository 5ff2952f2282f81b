package postgres

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"brokerage/internal/store"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// schemaLock is the advisory lock by which replicas that start at once wait for the first of them to make the schema.
const schemaLock = 0x62726F6B65726167 // "brokerag"

// A step is a part of the statements that make a schema.
type step struct{ name, sql string }

// readStep returns the statements in a file of the folder schema.
func readStep(name string) step {
	text, err := schemaFiles.ReadFile("schema/" + name + ".sql")
	if err != nil {
		panic(err) // it is embedded
	}
	return step{name, strings.TrimSpace(string(text))}
}

// Script returns the SQL that makes the schema of the layout that a URL names in an empty database, to be read or run
// by hand: psql --set ON_ERROR_STOP=1.
func Script(url string) (string, error) {
	_, wanted, err := parseURL(url)
	if err != nil {
		return "", err
	}
	wanted.name = cmp.Or(wanted.name, layoutSingle)
	var b strings.Builder
	fmt.Fprintf(&b, "-- The schema of brokerage in PostgreSQL, version %d, for an empty database. Run by its owner.\n\n",
		store.SchemaVersion)
	b.WriteString("BEGIN;\n")
	for _, step := range schemaOf(wanted).steps {
		fmt.Fprintf(&b, "\n-- %s\n\n%s\n", step.name, strings.TrimSpace(step.sql))
	}
	b.WriteString("\nCOMMIT;\n")
	return b.String(), nil
}

// Made reports whether Open has made the schema.
func (s *Store) Made() bool { return s.made }

// ensureSchema makes the schema in an empty database, and refuses one of another version or program.
func (s *Store) ensureSchema(ctx context.Context, conn *pgx.Conn) (err error) {
	s.stamp, s.made, err = store.Schema{
		Stamp: func(ctx context.Context) (store.Stamp, bool, error) { return stampOf(ctx, conn) },
		Make:  func(ctx context.Context) (bool, error) { return s.makeSchema(ctx, conn) },
	}.Ensure(ctx, s.options.AsIs)
	return err
}

// makeSchema makes the schema in one transaction, unless another replica has made it while this one waited.
func (s *Store) makeSchema(ctx context.Context, conn *pgx.Conn) (made bool, err error) {
	if s.layoutName == layoutCitus {
		if err := requireNodes(ctx, conn); err != nil {
			return false, err
		}
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(schemaLock)); err != nil {
			return err
		}
		_, empty, err := stampOf(ctx, tx)
		if err != nil {
			return err
		}
		if !empty {
			found, err := findLayout(ctx, tx)
			if err == nil && (found.name != s.layoutName || found.mode != s.mode) {
				err = fmt.Errorf("the database has just got the layout %s and the mode %s", found.name, found.mode)
			}
			return err
		}
		made = true
		for _, step := range s.schema.steps {
			if _, err := tx.Exec(ctx, step.sql); err != nil {
				return fmt.Errorf("making the schema (%s): %w", step.name, err)
			}
		}
		return nil
	})
	if Forbidden(err) {
		roles := "docs/postgres.md"
		if s.layoutName == layoutCitus {
			roles = "docs/scaling.md"
		}
		err = fmt.Errorf("the database has no schema, and role %s may not make it: "+
			"brokerage migrate does, as the owner (%s): %w", conn.Config().User, roles, err)
	}
	return made && err == nil, err
}

// A querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// stampOf returns the stamp of a database, and reports whether it is empty. It refuses a database whose schema
// brokerage is of another program.
func stampOf(ctx context.Context, q querier) (stamp store.Stamp, empty bool, err error) {
	var ours, taken bool
	err = q.QueryRow(ctx, `SELECT count(*) FILTER (WHERE relname IN ('orders', 'customers', 'securities', 'settings')) = 4,
		count(*) > 0 FROM pg_class WHERE relnamespace = to_regnamespace('brokerage')`).Scan(&ours, &taken)
	switch {
	case err != nil:
		return stamp, false, err
	case !taken:
		return stamp, true, nil
	case !ours:
		return stamp, false, errors.New("the database has a schema brokerage of another program")
	}
	var version string
	err = q.QueryRow(ctx, `SELECT coalesce(max(value) FILTER (WHERE name = $1), '0'),
		coalesce(max(value) FILTER (WHERE name = $2), '') FROM brokerage.settings WHERE name IN ($1, $2)`,
		store.SettingVersion, store.SettingIdentity).Scan(&version, &stamp.Identity)
	if err == nil {
		stamp.Version, err = strconv.Atoi(version)
	}
	return stamp, false, err
}
