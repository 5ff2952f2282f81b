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

// schemaVersion is the version that DDL creates, the only one so far. The next version will need statements that lead
// to it from each earlier one.
const schemaVersion = 1

// ErrEmpty is returned for a database without a schema if Settings.AsIs is set.
var ErrEmpty = errors.New("the database is empty: the load command fills it")

const settingVersion = "schema.version"

// Script returns what migrate does in an empty database, to be read or run by hand, for the setting in the URL. It
// registers the schemas by commands of the command line processor, because the procedures take the documents as
// parameters.
func Script(url string) (string, error) {
	t, err := parseURL(url, os.Getenv)
	if err != nil {
		return "", err
	}
	s := t.settings.Setting
	var b strings.Builder
	fmt.Fprintf(&b, "-- The schema of setting %q. The last statements configure the database and need SYSADM.\n\n", s)
	for _, text := range DDL(s, t.settings.Design) {
		fmt.Fprintf(&b, "%s;\n\n", text)
	}
	for _, x := range Schemas {
		fmt.Fprintf(&b, "REGISTER XMLSCHEMA '%s' FROM 'api/schema/%s' AS %s COMPLETE;\n\n", x.File, x.File, x.Name)
	}
	fmt.Fprintf(&b, "INSERT INTO settings (name, value) VALUES ('%s', '%d');\n", settingVersion, schemaVersion)
	for _, text := range configuration(s) {
		fmt.Fprintf(&b, "\n%s;\n", text)
	}
	return b.String(), nil
}

// version returns the version of the schema, 0 if there is none.
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

// migrate creates the schema if there is none, in one transaction, except for the table that it locks first: a process
// that starts at the same time waits for that.
func (s *Store) migrate(ctx context.Context) error {
	version, err := s.version(ctx, s.db)
	s.migrated = [2]int{version, version}
	switch {
	case err != nil:
		return err
	case version == schemaVersion:
		return nil
	case version > schemaVersion:
		return fmt.Errorf("the database has schema version %d, but this program supports up to %d: use a newer release",
			version, schemaVersion)
	case s.settings.AsIs:
		return ErrEmpty
	}
	ddl := DDL(s.settings.Setting, s.settings.Design)
	if _, err := s.admin.ExecContext(ctx, ddl[0]); err != nil && serverErrorOf(err).State != stateExists {
		return fmt.Errorf("creating the schema: %w", err)
	}
	created, err := s.createSchema(ctx, ddl[1:])
	if err != nil {
		return fmt.Errorf("creating the schema: %w", err)
	}
	s.migrated[1] = schemaVersion
	if created {
		s.configure(ctx)
	}
	return nil
}

// createSchema locks the table of settings and creates the rest of the schema, unless another process has done so.
func (s *Store) createSchema(ctx context.Context, ddl []string) (created bool, err error) {
	t, err := s.admin.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = t.Rollback() }() // after a commit it does nothing
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
	_, err = t.ExecContext(ctx, statements["insert_setting"], settingVersion, strconv.Itoa(schemaVersion))
	if err != nil {
		return false, err
	}
	return true, t.Commit()
}

// register registers the service's schemas for XMLVALIDATE.
func (s *Store) register(ctx context.Context, t *sql.Tx) error {
	schema, err := s.schema(ctx, t)
	if err != nil {
		return err
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

// schema returns the name of the tables' schema.
func (s *Store) schema(ctx context.Context, q querier) (name string, err error) {
	if s.settings.Schema != "" {
		return s.settings.Schema, nil
	}
	_, err = row(ctx, q, "current_schema", nil, []any{&name})
	return strings.TrimRight(name, " "), err
}

// configure configures the database around the schema, as far as the user's rights allow.
func (s *Store) configure(ctx context.Context) {
	for _, text := range configuration(s.settings.Setting) {
		if _, err := s.admin.ExecContext(ctx, text); err != nil {
			s.notice("the database was not configured (%v): an administrator can run: %s", err, text)
		}
	}
}

// Empty removes everything from the database. Each statement is a unit of work of its own, as TRUNCATE demands: the
// first marks the database as unfinished and the last removes that mark, so that nobody serves one that was not emptied
// to the end.
func (s *Store) Empty(ctx context.Context) error {
	if err := s.change(ctx, func(t *tx) error { return t.set(bulk.SettingLoading, emptying) }); err != nil {
		return err
	}
	for _, name := range []string{
		"empty_orders", "empty_custacc", "empty_security", "empty_answers", "reset_leases", "empty_settings",
	} {
		if _, err := s.admin.ExecContext(ctx, statements[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// emptying is the name of the unfinished load while the database is emptied.
const emptying = "what replaces the former content"
