package db2

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"brokerage/api"
	"brokerage/internal/store/bulk"
)

// schemaVersion is what DDL makes. There is one so far: the next comes with the
// statements that lead from each to the next.
const schemaVersion = 1

// ErrEmpty says that there is no schema, to who opens a database as it is.
var ErrEmpty = errors.New("the database is empty: the load command fills it")

const settingVersion = "schema.version"

// Script is everything that migrate does in an empty database, to be read, or run
// by hand; the registration of the schemas as commands of the command line
// processor, since its procedures take the documents as parameters. The URL says
// which setting.
func Script(url string) (string, error) {
	t, err := parseURL(url, os.Getenv)
	if err != nil {
		return "", err
	}
	s := t.settings.Setting
	var b strings.Builder
	fmt.Fprintf(&b, "-- The schema of setting %q. What configures the database stands last, and wants SYSADM.\n\n", s)
	for _, text := range DDL(s) {
		fmt.Fprintf(&b, "%s;\n\n", text)
	}
	for _, x := range Schemas {
		fmt.Fprintf(&b, "REGISTER XMLSCHEMA '%s' FROM 'api/schema/%s' AS %s COMPLETE;\n\n", x.File, x.File, x.Name)
	}
	fmt.Fprintf(&b, "INSERT INTO settings (name, value) VALUES ('%s', '%d');\n", settingVersion, schemaVersion)
	for _, text := range configure(s) {
		fmt.Fprintf(&b, "\n%s;\n", text)
	}
	return b.String(), nil
}

// version is the version of the schema, 0 where there is none.
func (s *Store) version(ctx context.Context, q querier) (version int, err error) {
	var text string
	found, err := row(ctx, q, "get_setting", []any{settingVersion}, []any{&text})
	switch {
	case serverErrorOf(err).State == stateNoTable:
		return 0, nil
	case err != nil || !found:
		return 0, err
	}
	return strconv.Atoi(text)
}

// migrate makes the schema if there is none, in one transaction, but for the
// table that is locked for it: whoever starts at the same time waits there.
func (s *Store) migrate(ctx context.Context) error {
	version, err := s.version(ctx, s.db)
	s.migrated = [2]int{version, version}
	switch {
	case err != nil:
		return err
	case version == schemaVersion:
		return nil
	case version > schemaVersion:
		return fmt.Errorf("the database has schema version %d, and this program knows up to %d: use a newer one", version, schemaVersion)
	case s.settings.AsIs:
		return ErrEmpty
	}
	ddl := DDL(s.settings.Setting)
	if _, err := s.db.ExecContext(ctx, ddl[0]); err != nil && serverErrorOf(err).State != stateExists {
		return fmt.Errorf("making the schema: %w", err)
	}
	made, err := s.make(ctx, ddl[1:])
	if err != nil {
		return fmt.Errorf("making the schema: %w", err)
	}
	s.migrated[1] = schemaVersion
	if made {
		s.configure(ctx)
	}
	return nil
}

// make does what others have not done before the table was locked.
func (s *Store) make(ctx context.Context, ddl []string) (made bool, err error) {
	t, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = t.Rollback() }() // after a commit it does nothing; what failed is told
	if _, err := t.ExecContext(ctx, statements["lock_settings"]); err != nil {
		return false, err
	}
	if version, err := s.version(ctx, t); err != nil || version > 0 {
		return false, err
	}
	for _, text := range ddl {
		if _, err := t.ExecContext(ctx, text); err != nil {
			return false, fmt.Errorf("%.60s…: %w", text, err)
		}
	}
	if !s.settings.Registered {
		if err := s.register(ctx, t); err != nil {
			return false, err
		}
	}
	if _, err := t.ExecContext(ctx, statements["insert_setting"], settingVersion, strconv.Itoa(schemaVersion)); err != nil {
		return false, err
	}
	return true, t.Commit()
}

// register puts the service's schemas into the repository for XMLVALIDATE.
func (s *Store) register(ctx context.Context, t *sql.Tx) error {
	schema := s.settings.Schema
	if schema == "" {
		if _, err := row(ctx, t, "current_schema", nil, []any{&schema}); err != nil {
			return err
		}
		schema = strings.TrimRight(schema, " ")
	}
	for _, x := range Schemas {
		text, err := api.Schemas.ReadFile("schema/" + x.File)
		if err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, statements["insert_schema"], x.File, text); err != nil {
			return fmt.Errorf("registering %s: %w", x.File, err)
		}
		named := strings.NewReplacer("$schema", schema, "$name", x.Name, "$file", x.File)
		if _, err := t.ExecContext(ctx, named.Replace(statements["register_schema"])); err != nil {
			return fmt.Errorf("registering %s: %w", x.File, err)
		}
	}
	return nil
}

// configure sets up the database around the schema, as far as this user may.
func (s *Store) configure(ctx context.Context) {
	for _, text := range configure(s.settings.Setting) {
		if _, err := s.db.ExecContext(ctx, text); err != nil {
			s.notice("the database was not configured (%v): an administrator can run: %s", err, text)
		}
	}
}

// Empty takes everything out of the database, so that it is as it was made. Each
// statement is a unit of work of its own, which TRUNCATE demands: the database
// says first that it is not whole, and last that there is nothing in it, so that
// one that was not emptied to the end is served by nobody.
func (s *Store) Empty(ctx context.Context) error {
	if err := s.change(ctx, func(t *tx) error { return t.set(bulk.SettingLoading, emptying) }); err != nil {
		return err
	}
	for _, name := range []string{"empty_orders", "empty_custacc", "empty_security", "empty_answers", "reset_leases", "empty_settings"} {
		if _, err := s.db.ExecContext(ctx, statements[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// emptying is what the database holds a part of while it is emptied.
const emptying = "what replaces the former content"
