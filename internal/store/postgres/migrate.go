package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed migrations/*.sql
var embedded embed.FS

//go:embed grants.sql
var grants string

// migrationLock is the advisory lock by which replicas that start at once wait for the first of them to migrate.
const migrationLock = 0x62726F6B65726167 // "brokerag"

// migrations returns the files that bring a schema up to date, in order: the n-th makes version n. Tests add more.
func (o Options) migrations() (fs.FS, []string, error) {
	files := o.files
	if files == nil {
		files = embedded
	}
	names, err := fs.Glob(files, "migrations/*.sql")
	slices.Sort(names)
	return files, names, err
}

// ErrEmpty is returned for a database without the schema.
var ErrEmpty = errors.New("the database is empty: the load command fills it")

// migrate brings the schema up to date, in one transaction: interrupted at any point, the database has the version that
// it had, or the newest. Where there is nothing to do it takes no lock and needs only the right to read.
func (s *Store) migrate(ctx context.Context, conn *pgx.Conn) error {
	files, names, err := s.options.migrations()
	if err != nil {
		return err
	}
	version, err := versionOf(ctx, conn, len(names))
	s.from, s.to = version, len(names)
	if err != nil || version == len(names) {
		return err
	}
	if s.options.AsIs {
		if version == 0 {
			return ErrEmpty
		}
		return fmt.Errorf("the database has schema version %d, and this program has %d: "+
			"it is brought up to date when its owner opens it", version, len(names))
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // the error is returned already
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
		return err
	}
	// Another replica may have migrated it while this one waited.
	version, err = versionOf(ctx, tx, len(names))
	s.from = version
	if err != nil || version == len(names) {
		return err
	}
	if version > 0 {
		s.notice("the database is being migrated from version %d to %d", version, len(names))
	}
	if err := apply(ctx, tx, files, names, version); err != nil {
		if Forbidden(err) {
			return fmt.Errorf("the database has schema version %d, this program has %d, and role %s may not change that: "+
				"brokerage migrate does, as the owner (docs/postgres.md): %w",
				version, len(names), conn.Config().User, err)
		}
		return err
	}
	return tx.Commit(ctx)
}

// A querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// versionOf returns the version of the schema of a database, 0 where there is none, and an error for one that is newer
// than the program.
func versionOf(ctx context.Context, q querier, newest int) (version int, err error) {
	var ours, taken bool
	err = q.QueryRow(ctx, `SELECT to_regclass('brokerage.schema_versions') IS NOT NULL,
		EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('brokerage'))`).Scan(&ours, &taken)
	switch {
	case err != nil:
		return 0, err
	case !ours && taken:
		return 0, errors.New("the database has a schema brokerage that is not of this program")
	case !ours:
		return 0, nil
	}
	err = q.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM brokerage.schema_versions").Scan(&version)
	if err == nil && version > newest {
		return 0, fmt.Errorf("the database has schema version %d, and this program knows up to %d: use a newer one",
			version, newest)
	}
	return version, err
}

// apply runs the migrations after a version, and grants the role of the service what it needs of them.
func apply(ctx context.Context, tx pgx.Tx, files fs.FS, names []string, version int) error {
	todo, err := stepsAfter(files, names, version)
	if err != nil {
		return err
	}
	for _, step := range todo {
		if _, err := tx.Exec(ctx, step.sql); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// firstStep makes the table of versions. Where the role was given the schema but not the right to make one, it exists.
const firstStep = `DO $$ BEGIN IF to_regnamespace('brokerage') IS NULL THEN CREATE SCHEMA brokerage; END IF; END $$;
CREATE TABLE brokerage.schema_versions (
  version int PRIMARY KEY, file text NOT NULL, applied timestamptz NOT NULL DEFAULT now());`

// A migrationStep is statements that are run together.
type migrationStep struct{ name, sql string }

// stepsAfter returns the steps from a version to the newest.
func stepsAfter(files fs.FS, names []string, version int) (steps []migrationStep, err error) {
	if version == 0 {
		steps = append(steps, migrationStep{"schema brokerage", firstStep})
	}
	for i, name := range names[version:] {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		note := fmt.Sprintf("INSERT INTO brokerage.schema_versions (version, file) VALUES (%d, '%s');",
			version+i+1, strings.ReplaceAll(name, "'", "''"))
		statements := strings.TrimSuffix(strings.TrimSpace(string(text)), ";")
		steps = append(steps, migrationStep{"migration " + name, statements + ";\n\n" + note})
	}
	return append(steps, migrationStep{"grants", grants}), nil
}

// Script returns the SQL that brings an empty database to the newest schema, to read before or to run by hand: psql
// --set ON_ERROR_STOP=1.
func Script() (string, error) {
	files, names, err := Options{}.migrations()
	if err != nil {
		return "", err
	}
	steps, err := stepsAfter(files, names, 0)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("-- The schema of brokerage in PostgreSQL, ")
	fmt.Fprintf(&b, "version %d, for an empty database. Run by its owner.\n\nBEGIN;\n", len(names))
	for _, step := range steps {
		fmt.Fprintf(&b, "\n-- %s\n\n%s\n", step.name, strings.TrimSpace(step.sql))
	}
	b.WriteString("\nCOMMIT;\n")
	return b.String(), nil
}

// Migrated returns the versions of the schema before and after Open.
func (s *Store) Migrated() (from, to int) { return s.from, s.to }
