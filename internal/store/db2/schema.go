package db2

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"brokerage/api"
	"brokerage/internal/store"
)

// Script returns what makeSchema does in an empty database, to be read or run by hand, for the schema in the URL. Each
// statement has to be committed before the next, as the command line processor does. The script registers the schemas
// by commands of that processor, because the procedures take the documents as parameters.
func Script(url string) (string, error) {
	t, err := parseURL(url, os.Getenv)
	if err != nil {
		return "", err
	}
	s := Options{Schema: cmp.Or(t.settings.Schema, strings.ToUpper(t.user))}
	list := append([]string{"SET CURRENT SCHEMA = '" + s.Schema + "'"}, s.DDL()...)
	for _, x := range Schemas {
		list = append(list, fmt.Sprintf(
			"REGISTER XMLSCHEMA '%s' FROM 'api/schema/%[1]s' AS %s.%s COMPLETE", x.File, s.Schema, x.Name))
	}
	for _, x := range Schemas {
		list = append(list, fmt.Sprintf("GRANT USAGE ON XSROBJECT %s.%s TO PUBLIC", s.Schema, x.Name))
	}
	for _, setting := range newStamp() {
		list = append(list,
			fmt.Sprintf("INSERT INTO settings (name, value) VALUES ('%s', '%s')", setting[0], setting[1]))
	}
	return "-- The schema " + s.Schema +
		", for db2 -tvf FILE by a user with SYSCTRL and DBADM, in the folder of a checkout.\n" +
		"-- It has comments in deploy/db2/box.sql. The identity is random: another for each database.\n\n" +
		strings.Join(list, ";\n\n") + ";\n", nil
}

// newStamp returns the settings that stamp a new database: names and values.
func newStamp() [2][2]string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // it never fails
	return [2][2]string{
		{store.SettingIdentity, hex.EncodeToString(random[:])},
		{store.SettingVersion, strconv.Itoa(store.SchemaVersion)},
	}
}

// stampOf returns the stamp of the database. A table of settings without a version is left by an interrupted attempt
// to make the schema: the database still is empty.
func (s *Store) stampOf(ctx context.Context, q querier) (stamp store.Stamp, empty bool, err error) {
	var version string
	found, err := row(ctx, q, "get_setting", []any{store.SettingVersion}, []any{&version})
	if serverErrorOf(err).State == stateNoTable || err == nil && !found {
		return stamp, true, nil
	}
	if err == nil {
		stamp.Version, err = strconv.Atoi(version)
	}
	if err == nil {
		_, err = row(ctx, q, "get_setting", []any{store.SettingIdentity}, []any{&stamp.Identity})
	}
	return stamp, false, err
}

// ensureSchema makes the schema in an empty database, and refuses one of another version.
func (s *Store) ensureSchema(ctx context.Context) (err error) {
	s.stamp, s.made, err = store.Schema{
		Stamp: func(ctx context.Context) (store.Stamp, bool, error) { return s.stampOf(ctx, s.db) },
		Make:  s.makeSchema,
	}.Ensure(ctx, s.settings.AsIs)
	return err
}

// makeSchema creates tables and indexes in one transaction, under a lock for which a process that starts at the same
// time waits. Before it come statements that are committed one by one: the table that is locked, the buffer pool and
// the table space. After it the XML schemas are registered, each alone, because a procedure of Db2 may commit. The
// version, which says that the schema is complete, is last. All steps may be repeated, so that an interrupted attempt
// is continued by the next.
func (s *Store) makeSchema(ctx context.Context) (made bool, err error) {
	layout := s.settings
	if layout.Schema, err = s.schema(ctx, s.admin); err != nil {
		return false, fmt.Errorf("creating the schema: %w", err)
	}
	tables := layout.tables()
	for _, text := range slices.Concat(tables[:1], layout.storage()) {
		if _, err := s.admin.ExecContext(ctx, text); err != nil && serverErrorOf(err).State != stateExists {
			return false, fmt.Errorf("creating the schema: %.60s…: %w", text, err)
		}
	}
	stamp := newStamp()
	if err := s.createTables(ctx, tables[1:], stamp[0]); err != nil {
		return false, fmt.Errorf("creating the schema: %w", err)
	}
	if !s.settings.Registered {
		if err := s.register(ctx, layout.Schema); err != nil {
			return false, err
		}
	}
	_, err = s.admin.ExecContext(ctx, statements["insert_setting"], stamp[1][0], stamp[1][1])
	if isDuplicate(err) {
		return false, nil // another process was quicker
	}
	return err == nil, err
}

// createTables locks the table of settings and creates the rest of the tables, unless another process has done so.
func (s *Store) createTables(ctx context.Context, ddl []string, identity [2]string) error {
	t, err := s.admin.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }() // after a commit it does nothing
	if _, err := t.ExecContext(ctx, statements["lock_settings"]); err != nil {
		return err
	}
	var known string
	if found, err := row(ctx, t, "get_setting", []any{identity[0]}, []any{&known}); err != nil || found {
		return err
	}
	for _, text := range ddl {
		if _, err := t.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%.60s…: %w", text, err)
		}
	}
	for _, x := range Schemas {
		text, err := api.Schemas.ReadFile("schema/" + x.File)
		if err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, statements["insert_schema"], x.File, text); err != nil {
			return fmt.Errorf("storing %s: %w", x.File, err)
		}
	}
	if _, err := t.ExecContext(ctx, statements["insert_setting"], identity[0], identity[1]); err != nil {
		return err
	}
	return t.Commit()
}

// register registers the service's schemas for XMLVALIDATE, and lets everybody use them.
func (s *Store) register(ctx context.Context, schema string) error {
	for _, x := range Schemas {
		named := strings.NewReplacer("$schema", schema, "$name", x.Name, "$file", x.File)
		_, err := s.admin.ExecContext(ctx, named.Replace(statements["register_schema"]))
		if err != nil && serverErrorOf(err).State != stateExists {
			return fmt.Errorf("registering %s: %w", x.File, err)
		}
		grant := named.Replace(statements["grant_schema"])
		if _, err := s.admin.ExecContext(ctx, grant); err != nil {
			s.notice("only the owner of the XML schemas can validate (%v): an administrator can run: %s", err, grant)
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

// Empty removes everything from the database. Each statement is a unit of work of its own, as TRUNCATE demands: the
// first marks the database as unfinished and the last removes that mark, so that nobody serves one that was not emptied
// to the end.
func (s *Store) Empty(ctx context.Context) error {
	release, err := s.holdLoad(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := s.change(ctx, func(t *tx) error { return t.set(store.SettingLoading, emptying) }); err != nil {
		return err
	}
	for _, name := range []string{
		"empty_orders", "empty_custacc", "empty_security", "empty_answers", "reset_leases", "empty_settings",
	} {
		// Automatic RUNSTATS may hold a table, just after a load.
		if err := s.read(ctx, func() error { _, err := s.admin.ExecContext(ctx, statements[name]); return err }); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// emptying is the name of the unfinished load while the database is emptied.
const emptying = "what replaces the former content"
