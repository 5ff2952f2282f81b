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

// migrationLock is what replicas that start together queue at, whichever of them
// is first; a number that is this program's, within its database.
const migrationLock = 0x62726F6B65726167 // "brokerag"

// migrations are the files that bring a schema up to date, in order: the n-th
// makes version n. Tests put more of them in.
func (o Options) migrations() (fs.FS, []string, error) {
	files := o.files
	if files == nil {
		files = embedded
	}
	names, err := fs.Glob(files, "migrations/*.sql")
	slices.Sort(names)
	return files, names, err
}

// ErrEmpty is a database without the schema.
var ErrEmpty = errors.New("the database is empty: the load command fills it")

// migrate brings the schema up to date, in one transaction: ended at any point,
// the database has the version that it had, or the last one. Where nothing is to
// be done it takes no lock and needs no rights but to read.
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
		return fmt.Errorf("the database has schema version %d, and this program has %d: it is brought up to date when its owner opens it", version, len(names))
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // what failed is told already
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
		return err
	}
	// Others may have done it meanwhile.
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
			return fmt.Errorf("the database has schema version %d, this program has %d, and role %s may not change that: brokerage migrate does, as the owner (docs/postgres.md): %w",
				version, len(names), conn.Config().User, err)
		}
		return err
	}
	return tx.Commit(ctx)
}

// querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// versionOf is the version of a database's schema, 0 where there is none. It
// refuses one that is newer than the program.
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
	if err := q.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM brokerage.schema_versions").Scan(&version); err != nil {
		return 0, err
	}
	if version > newest {
		return 0, fmt.Errorf("the database has schema version %d, and this program knows up to %d: use a newer one", version, newest)
	}
	return version, nil
}

// apply does the migrations after a version, and grants the service's role what
// it needs of them.
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

// firstStep makes what the versions are noted in. Who was given the schema, but
// not the right to make one, finds it there.
const firstStep = `DO $$ BEGIN IF to_regnamespace('brokerage') IS NULL THEN CREATE SCHEMA brokerage; END IF; END $$;
CREATE TABLE brokerage.schema_versions (version int PRIMARY KEY, file text NOT NULL, applied timestamptz NOT NULL DEFAULT now());`

// migrationStep is statements that are run as they stand.
type migrationStep struct{ name, sql string }

// stepsAfter are the steps from a version to the last one.
func stepsAfter(files fs.FS, names []string, version int) (steps []migrationStep, err error) {
	if version == 0 {
		steps = append(steps, migrationStep{"schema brokerage", firstStep})
	}
	for i, name := range names[version:] {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		note := fmt.Sprintf("INSERT INTO brokerage.schema_versions (version, file) VALUES (%d, '%s');", version+i+1, strings.ReplaceAll(name, "'", "''"))
		statements := strings.TrimSuffix(strings.TrimSpace(string(text)), ";")
		steps = append(steps, migrationStep{"migration " + name, statements + ";\n\n" + note})
	}
	return append(steps, migrationStep{"grants", grants}), nil
}

// Script is what brings an empty database to the newest schema, for who wants to
// read it before, or to run it by hand: psql --set ON_ERROR_STOP=1.
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
	fmt.Fprintf(&b, "-- The schema of brokerage in PostgreSQL, version %d, for an empty database. Run by its owner.\n\nBEGIN;\n", len(names))
	for _, step := range steps {
		fmt.Fprintf(&b, "\n-- %s\n\n%s\n", step.name, strings.TrimSpace(step.sql))
	}
	b.WriteString("\nCOMMIT;\n")
	return b.String(), nil
}

// Migrated tells from which version of the schema to which one Open has brought
// the database.
func (s *Store) Migrated() (from, to int) { return s.from, s.to }
