package postgres

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed migrations/*.sql migrations/spread/*.sql
var migrationFiles embed.FS

//go:embed grants.sql
var grants string

// migrationLock is the advisory lock by which replicas that start at once wait for the first of them to migrate.
const migrationLock = 0x62726F6B65726167 // "brokerag"

// A migration is a step that brings the schema to its next version.
type migration struct{ name, sql string }

// migrations make the schema of one server: the n-th brings it to version n.
var migrations = readMigrations("migrations/0*.sql", func(sql string) string { return sql }, "")

// readMigrations returns the migrations in numbered files, each after edit. The first begins with the keys, which are
// the same in every layout, and ends with divided.
func readMigrations(pattern string, edit func(string) string, divided string) (all []migration) {
	files, _ := fs.Glob(migrationFiles, pattern) // sorted; the pattern is right
	for _, file := range files {
		text := edit(migrationText(file))
		if len(all) == 0 {
			text = strings.TrimSpace(migrationText("migrations/keys.sql") + "\n\n" + text + "\n\n" + divided)
		}
		all = append(all, newMigration(len(all)+1, file, text))
	}
	return all
}

func migrationText(file string) string {
	text, err := migrationFiles.ReadFile(file)
	if err != nil {
		panic(err) // it is embedded
	}
	return strings.TrimSpace(string(text))
}

// spreadMigrations make the schema of a spread layout: tables with partitions, or distributed tables of Citus.
func spreadMigrations(layout string, shards int) []migration {
	divided := strings.ReplaceAll(migrationText("migrations/spread/"+layout+".sql"), "SHARDS", strconv.Itoa(shards))
	return readMigrations("migrations/spread/0*.sql", func(sql string) string {
		if layout == layoutCitus {
			return partitionBy.ReplaceAllString(sql, "")
		}
		return sql
	}, divided)
}

// newMigration returns the migration to a version: the statements of a file, and a note that they were run.
func newMigration(version int, file, statements string) migration {
	return migration{"migration " + file, fmt.Sprintf(
		"%s;\n\nINSERT INTO brokerage.schema_versions (version, file) VALUES (%d, '%s');",
		strings.TrimSuffix(strings.TrimSpace(statements), ";"), version, file)}
}

// stepsAfter returns the statements to run after a version: the migrations to the newest, between those with which each
// migration begins and ends.
func (in *schema) stepsAfter(version int) []migration {
	var first []migration
	if version == 0 {
		first = []migration{{"schema brokerage", firstStep}}
	}
	return slices.Concat(in.begin, first, in.migrations[version:], in.end)
}

// firstStep makes the schema, unless it exists, and the table of versions. The owner of a database may have made the
// schema for a role that has no right to make one.
const firstStep = `DO $$ BEGIN IF to_regnamespace('brokerage') IS NULL THEN CREATE SCHEMA brokerage; END IF; END $$;
CREATE TABLE brokerage.schema_versions (
  version int PRIMARY KEY, file text NOT NULL, applied timestamptz NOT NULL DEFAULT now());`

// Script returns the SQL that brings an empty database to the newest schema of the layout that a URL names, to read
// before or to run by hand: psql --set ON_ERROR_STOP=1.
func Script(url string) (string, error) {
	_, wanted, err := parseURL(url)
	if err != nil {
		return "", err
	}
	wanted.name = cmp.Or(wanted.name, layoutSingle)
	in := schemaOf(wanted)
	var b strings.Builder
	fmt.Fprintf(&b, "-- The schema of brokerage in PostgreSQL, version %d, for an empty database. Run by its owner.\n\n",
		len(in.migrations))
	b.WriteString("BEGIN;\n")
	for _, step := range in.stepsAfter(0) {
		fmt.Fprintf(&b, "\n-- %s\n\n%s\n", step.name, strings.TrimSpace(step.sql))
	}
	b.WriteString("\nCOMMIT;\n")
	return b.String(), nil
}

// Migrated returns the versions of the schema before and after Open.
func (s *Store) Migrated() (from, to int) { return s.from, len(s.schema.migrations) }

// ErrEmpty is returned for a database without the schema.
var ErrEmpty = errors.New("the database is empty: the load command fills it")

// migrate brings the schema up to date, in one transaction: interrupted at any point, the database has the version that
// it had, or the newest. Where there is nothing to do it takes no lock and needs only the right to read.
func (s *Store) migrate(ctx context.Context, conn *pgx.Conn) (err error) {
	newest := len(s.schema.migrations)
	if s.from, err = versionOf(ctx, conn, newest); err != nil || s.from == newest {
		return err
	}
	switch {
	case s.options.AsIs && s.from == 0:
		return ErrEmpty
	case s.options.AsIs:
		return fmt.Errorf("the database has schema version %d, and this program has %d: "+
			"it is brought up to date when its owner opens it", s.from, newest)
	case s.layoutName == layoutCitus:
		if err := requireNodes(ctx, conn); err != nil {
			return err
		}
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		// Another replica may have migrated it while this one waited, even to another layout or mode.
		found, err := findLayout(ctx, tx)
		if err != nil || found.name != "" && (found.name != s.layoutName || found.mode != s.mode) {
			return errors.Join(err, fmt.Errorf("the database has just got the layout %s and the mode %s",
				found.name, found.mode))
		}
		if s.from, err = versionOf(ctx, tx, newest); err != nil || s.from == newest {
			return err
		}
		if s.from > 0 {
			s.notice("the database is being migrated from version %d to %d", s.from, newest)
		}
		for _, step := range s.schema.stepsAfter(s.from) {
			if _, err := tx.Exec(ctx, step.sql); err != nil {
				return fmt.Errorf("%s: %w", step.name, err)
			}
		}
		return nil
	})
	if Forbidden(err) {
		roles := "docs/postgres.md"
		if s.layoutName == layoutCitus {
			roles = "docs/scaling.md"
		}
		err = fmt.Errorf("the database has schema version %d, this program has %d, and role %s may not change that: "+
			"brokerage migrate does, as the owner (%s): %w", s.from, newest, conn.Config().User, roles, err)
	}
	return err
}

// A querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// versionOf returns the version of the schema of a database, 0 if there is none, and an error for one that is newer
// than the program.
func versionOf(ctx context.Context, q querier, newest int) (version int, err error) {
	var ours, taken bool
	err = q.QueryRow(ctx, `SELECT to_regclass('brokerage.schema_versions') IS NOT NULL,
		EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('brokerage'))`).Scan(&ours, &taken)
	switch {
	case err != nil:
		return 0, err
	case !ours && taken:
		return 0, errors.New("the database has a schema brokerage of another program")
	case !ours:
		return 0, nil
	}
	err = q.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM brokerage.schema_versions").Scan(&version)
	if err == nil && version > newest {
		return 0, fmt.Errorf("the database has schema version %d, but this program supports up to %d: use a newer release",
			version, newest)
	}
	return version, err
}
