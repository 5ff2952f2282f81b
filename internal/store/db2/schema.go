package db2

import (
	"context"
	"crypto/rand"
	_ "embed" // schema.sql
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"regexp"
	"strconv"
	"strings"

	"brokerage/api"
	"brokerage/internal/store"
)

//go:embed schema.sql
var schemaSQL string

// committedAlone is how many statements at the beginning of the schema are committed one by one.
const committedAlone = 3

// DDL returns every statement that creates the schema, in order. Schemas lists what is registered afterwards. s.Schema
// must be set: the names of the buffer pool and the table space depend on it.
func (s Options) DDL() []string {
	return split(strings.ReplaceAll(schemaSQL, "$storage", storageName(s.Schema)))
}

// shortName matches a schema's name that needs no quotes and leaves room for a suffix: see storageName.
var shortName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,11}$`)

// storageName returns the prefix of the names of a schema's buffer pools and table spaces. These belong to the whole
// database, so the names of two schemas must differ. A name has at most 18 bytes, of which the suffix may take 6.
func storageName(schema string) string {
	if shortName.MatchString(schema) {
		return schema
	}
	return fmt.Sprintf("DB_%08X", crc32.ChecksumIEEE([]byte(schema)))
}

// Schemas are the XML schemas for XMLVALIDATE: the name under which each is registered, and its file in api/schema.
var Schemas = []struct{ Name, File string }{
	{"CUSTACC", "custacc.xsd"},
	{"ORDERS", "order.xsd"},
	{"SECURITY", "security.xsd"},
}

// Script returns a script that does what makeSchema does in an empty database, for the schema in the URL, but leaves
// the table SCHEMAS empty: it registers the XML schemas from files, by commands of the command line processor. Each
// statement has to be committed before the next, as that processor does.
func Script(url string) (string, error) {
	t, err := parseURL(url)
	if err != nil {
		return "", err
	}
	schema := t.settings.Schema
	list := append([]string{"SET CURRENT SCHEMA = '" + schema + "'"}, t.settings.DDL()...)
	for _, x := range Schemas {
		list = append(list,
			fmt.Sprintf("REGISTER XMLSCHEMA '%s' FROM 'api/schema/%[1]s' AS %s.%s COMPLETE", x.File, schema, x.Name))
	}
	for _, x := range Schemas {
		list = append(list, fmt.Sprintf("GRANT USAGE ON XSROBJECT %s.%s TO PUBLIC", schema, x.Name))
	}
	const stamp = "INSERT INTO settings (name, value) VALUES ('%s', '%v')"
	list = append(list, fmt.Sprintf(stamp, store.SettingIdentity, newIdentity()),
		fmt.Sprintf(stamp, store.SettingVersion, store.SchemaVersion))
	return "-- The schema " + schema +
		", for db2 -tvf FILE by a user with SYSCTRL and DBADM, in the folder of a checkout.\n" +
		"-- deploy/db2/box.sql has comments. The identity is random: use another one for each database.\n\n" +
		strings.Join(list, ";\n\n") + ";\n", nil
}

func newIdentity() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // it never fails
	return hex.EncodeToString(random[:])
}

// ensureSchema makes the schema in an empty database, and refuses one of another version.
func (s *Store) ensureSchema(ctx context.Context) (err error) {
	s.stamp, s.made, err = store.Schema{Stamp: s.readStamp, Make: s.makeSchema}.Ensure(ctx, s.settings.AsIs)
	return err
}

// readStamp returns the stamp of the database. A settings table without a version is left over from an interrupted
// attempt to make the schema: the database is still empty.
func (s *Store) readStamp(ctx context.Context) (stamp store.Stamp, empty bool, err error) {
	var version string
	found, err := row(ctx, s.db, "get_setting", []any{store.SettingVersion}, []any{&version})
	if serverErrorOf(err).State == stateNoTable || err == nil && !found {
		return stamp, true, nil
	}
	if err == nil {
		stamp.Version, err = strconv.Atoi(version)
	}
	if err == nil {
		_, err = row(ctx, s.db, "get_setting", []any{store.SettingIdentity}, []any{&stamp.Identity})
	}
	return stamp, false, err
}

// makeSchema creates tables and indexes in one transaction, under a lock for which a process that starts at the same
// time waits. Before it, statements that are committed one by one create the table that is locked, the buffer pool
// and the table space. After it, the XML schemas are registered, each alone, because a procedure of Db2 may commit.
// The version, which says that the schema is complete, is inserted last. All steps may be repeated, so that the next
// attempt continues an interrupted one.
func (s *Store) makeSchema(ctx context.Context) (made bool, err error) {
	ddl := s.settings.DDL()
	for _, text := range ddl[:committedAlone] {
		if _, err := s.admin.ExecContext(ctx, text); err != nil && serverErrorOf(err).State != stateExists {
			return false, fmt.Errorf("creating the schema: %.60s…: %w", text, err)
		}
	}
	if err := s.createTables(ctx, ddl[committedAlone:]); err != nil {
		return false, fmt.Errorf("creating the schema: %w", err)
	}
	for _, x := range Schemas {
		named := strings.NewReplacer("$schema", s.settings.Schema, "$name", x.Name, "$file", x.File)
		_, err := s.admin.ExecContext(ctx, named.Replace(statements["register_schema"]))
		if err != nil && serverErrorOf(err).State != stateExists {
			return false, fmt.Errorf("registering %s: %w", x.File, err)
		}
		grant := named.Replace(statements["grant_schema"])
		if _, err := s.admin.ExecContext(ctx, grant); err != nil {
			s.notice("only the owner of the XML schemas can validate (%v): an administrator can run: %s", err, grant)
		}
	}
	version := strconv.Itoa(store.SchemaVersion)
	_, err = s.admin.ExecContext(ctx, statements["insert_setting"], store.SettingVersion, version)
	if isDuplicate(err) {
		return false, nil // another process was quicker
	}
	return err == nil, err
}

// createTables locks the table of settings and creates the rest of the tables, unless another process has done so.
func (s *Store) createTables(ctx context.Context, ddl []string) error {
	t, err := s.admin.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }() // after a commit it does nothing
	if _, err := t.ExecContext(ctx, statements["lock_settings"]); err != nil {
		return err
	}
	var known string
	if found, err := row(ctx, t, "get_setting", []any{store.SettingIdentity}, []any{&known}); err != nil || found {
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
	if _, err := t.ExecContext(ctx, statements["insert_setting"], store.SettingIdentity, newIdentity()); err != nil {
		return err
	}
	return t.Commit()
}

// Empty removes everything from the database but the schema and the identity. Each statement is a unit of work of its
// own, as TRUNCATE requires: the first marks the database as unfinished and the last removes that mark, so that
// nobody serves one that was not emptied completely.
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
		// With retries: just after a load, automatic RUNSTATS may lock a table.
		if err := s.read(ctx, func() error { _, err := s.admin.ExecContext(ctx, statements[name]); return err }); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// emptying is stored as the name of the unfinished load while Empty runs.
const emptying = "what replaces the former content"
