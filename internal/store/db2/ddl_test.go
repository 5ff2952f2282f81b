package db2

import (
	"database/sql/driver"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/testenv"
)

// createsStorage finds the names of buffer pools and table spaces that a statement creates.
var createsStorage = regexp.MustCompile(`^CREATE (?:(?:LARGE|SYSTEM TEMPORARY) )?(BUFFERPOOL|TABLESPACE) (\S+)`)

// Buffer pools and table spaces belong to the database: those of two schemas have different names, which Db2 accepts.
func TestStorage_Names(t *testing.T) {
	taken := make(map[string]string)
	for _, schema := range []string{
		"TPOX", "TPOX_TUNED", "BROKERAGE_TEST", "BROKERAGE_TEST2", "A", "_A", "DB-USER", strings.Repeat("LONG", 32),
		strings.Repeat("LONG", 31) + "LONE",
	} {
		found := 0
		for _, text := range (Options{Schema: schema}).DDL() {
			m := createsStorage.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			found++
			require.Regexp(t, `^[A-Z][A-Z0-9_]{1,17}$`, m[2])
			require.NotContains(t, taken, m[1]+m[2], schema)
			taken[m[1]+m[2]] = schema
		}
		require.Equal(t, 2, found)
	}
}

// The scripts for a database of its own create the schema that the store knows. The tuned one differs in where tables
// are, and what they are in exists, with pages of the same size.
func TestScripts_OfDatabases(t *testing.T) {
	placed := regexp.MustCompile(`\s+IN TPOX\S+(?: INDEX IN TPOX\S+ LONG IN TPOX\S+)?`)
	script, err := Script("db2://tpox@h/D")
	require.NoError(t, err)
	var want []string
	for _, text := range split(script) {
		if !createsStorage.MatchString(text) && !strings.HasPrefix(text, "INSERT INTO settings") {
			want = append(want, placed.ReplaceAllString(text, ""))
		}
	}
	for _, name := range []string{"box.sql", "tuned.sql"} {
		text := testenv.Text(t, "../../../deploy/db2/"+name)
		require.NotContains(t, text, "$")
		var got []string
		pages := make(map[string]string)
		for _, text := range split(text) {
			size := regexp.MustCompile(`PAGESIZE \d+ K`).FindString(text)
			m := createsStorage.FindStringSubmatch(text)
			switch {
			case len(m) > 0 && m[1] == "BUFFERPOOL":
				pages["pool "+m[2]] = size
			case len(m) > 0:
				pages[m[2]] = size
				pool := regexp.MustCompile(` BUFFERPOOL (\S+)`).FindStringSubmatch(text)
				require.Equal(t, pages["pool "+pool[1]], size, text)
			case regexp.MustCompile(`^(SET|CREATE (TABLE|UNIQUE|INDEX)|ALTER TABLE|INSERT INTO leases|REGISTER|GRANT)`).
				MatchString(text):
				for _, space := range regexp.MustCompile(`\bIN (TPOX\S+)`).FindAllStringSubmatch(text, -1) {
					require.Equal(t, "PAGESIZE 16 K", pages[space[1]], text)
				}
				got = append(got, placed.ReplaceAllString(text, ""))
			default:
				require.Regexp(t, `^(CREATE DATABASE|CONNECT|CALL SYSPROC.ADMIN_CMD|INSERT INTO settings|(DE)?ACTIVATE)`, text)
			}
		}
		require.Equal(t, want, got, name)
		require.Contains(t, text, "'schema.version', '"+strconv.Itoa(store.SchemaVersion)+"'")
	}
}

// makesSchema opens a store on a database without a schema, which refuses what a test says.
func makesSchema(t testing.TB, settings Options, refuse func(query string) error) (*fake, []string, error) {
	t.Helper()
	stamp := make(map[driver.Value]driver.Value)
	f := &fake{answer: func(query string, args []driver.Value) (answer, error) {
		switch {
		case query == statements["insert_setting"]:
			stamp[args[0]] = args[1]
		case query == statements["get_setting"] && stamp[args[0]] != nil:
			return answer{rows: [][]driver.Value{{stamp[args[0]]}}}, nil
		case query == statements["get_setting"]:
			return answer{}, nil
		case query == statements["collation"]:
			return answer{rows: [][]driver.Value{{"IDENTITY"}}}, nil
		}
		return answer{}, refuse(query)
	}}
	var notices []string
	settings.Notice = func(text string) { notices = append(notices, text) }
	s, err := openConnectors(t.Context(), f, f, settings)
	if err == nil {
		require.True(t, s.Made())
		require.Regexp(t, `^[0-9a-f]{32}$`, s.stamp.Identity)
		require.NoError(t, s.Close())
	}
	return f, notices, err
}

func nothing(string) error { return nil }

// The buffer pool and the table space are committed before the transaction that uses them. Nothing configures the
// database.
func TestSchema_StorageFirst(t *testing.T) {
	f, notices, err := makesSchema(t, Options{Schema: "TPOX"}, nothing)
	require.NoError(t, err)
	require.Empty(t, notices)
	begin := slices.Index(f.calls, "BEGIN")
	for _, text := range (Options{Schema: "TPOX"}).storage() {
		require.Contains(t, f.calls[:begin], text, "committed alone")
		require.NotContains(t, f.calls[begin:], text)
	}
	require.Contains(t, strings.Join(f.calls[begin:], "\n"), "CREATE TABLE custacc")
	require.NotContains(t, f.said(), "ADMIN_CMD")
	commit := slices.Index(f.calls, "COMMIT")
	require.Less(t, begin, commit)
	after := strings.Join(f.calls[commit:], " ")
	for _, x := range Schemas {
		require.Contains(t, after, "DEFAULT '"+x.Name+"'", "registered alone, after the tables")
		require.Contains(t, after, `GRANT USAGE ON XSROBJECT "TPOX"."`+x.Name+`" TO PUBLIC`)
	}
	require.Contains(t, after[strings.LastIndex(after, "GRANT"):], "insert_setting", "the version is last")
}

// An attempt that ended anywhere is continued by the next, and so is one beside a schema with the same storage.
func TestSchema_Again(t *testing.T) {
	settings := Options{Schema: "TPOX"}
	f, _, err := makesSchema(t, settings, func(query string) error {
		if createsStorage.MatchString(query) || strings.HasPrefix(query, "CREATE TABLE settings") ||
			strings.HasPrefix(query, "BEGIN") {
			return failure(-601, stateExists)
		}
		return nil
	})
	require.NoError(t, err)
	require.Contains(t, f.calls, "COMMIT")
	require.Contains(t, f.said(), "insert_setting")

	// One that ended between the tables and the XML schemas makes no table again.
	refused := failure(-204, "42704")
	f, _, err = makesSchema(t, settings, func(query string) error {
		if strings.HasPrefix(query, "BEGIN") {
			return refused
		}
		return nil
	})
	require.ErrorContains(t, err, "registering custacc.xsd")
	refused, f.calls = nil, nil
	s, err := openConnectors(t.Context(), f, f, settings)
	require.NoError(t, err)
	require.True(t, s.Made())
	require.NoError(t, s.Close())
	require.NotContains(t, f.said(), "CREATE TABLE custacc")
	require.Contains(t, f.said(), "insert_setting")

	// In the transaction a table that exists is an error: nothing is known of what it holds.
	_, _, err = makesSchema(t, settings, func(query string) error {
		if strings.HasPrefix(query, "CREATE TABLE custacc") {
			return failure(-601, stateExists)
		}
		return nil
	})
	require.ErrorContains(t, err, "CREATE TABLE custacc")
	_, _, err = makesSchema(t, settings, func(query string) error {
		if strings.HasPrefix(query, "CREATE TABLESPACE") {
			return failure(-552, stateNoAuthority)
		}
		return nil
	})
	require.ErrorContains(t, err, "CREATE TABLESPACE")
}

// What an administrator is to run is whole: in the schema of the service's user, in an order that can be run, with the
// right to validate.
func TestScript(t *testing.T) {
	for _, url := range []string{"db2://tpox:secret@h/D", "db2://u@h/D?schema=tpox"} {
		script, err := Script(url)
		require.NoError(t, err)
		require.NotContains(t, script, "secret")
		list := split(script)
		require.Equal(t, "SET CURRENT SCHEMA = 'TPOX'", list[0])
		ddl := Options{Schema: "TPOX"}.DDL()
		require.Equal(t, ddl, list[1:1+len(ddl)])
		rest := list[1+len(ddl):]
		for i, x := range Schemas {
			register := fmt.Sprintf("REGISTER XMLSCHEMA '%s' FROM 'api/schema/%s' AS TPOX.%s COMPLETE", x.File, x.File, x.Name)
			require.Equal(t, register, rest[i])
			require.Equal(t, "GRANT USAGE ON XSROBJECT TPOX."+x.Name+" TO PUBLIC", rest[len(Schemas)+i])
		}
		require.Contains(t, rest[2*len(Schemas)], "INSERT INTO settings (name, value) VALUES ('database.identity', '")
		require.Contains(t, rest[2*len(Schemas)+1], "INSERT INTO settings (name, value) VALUES ('schema.version', '1')")
		require.Len(t, rest, 2*len(Schemas)+2)
	}
}

// A load collects statistics as its URL says.
func TestLoad_Statistics(t *testing.T) {
	parsed, err := parseURL("db2://u@h/d?statistics_sample=10&dictionary=true", func(string) string { return "" })
	require.NoError(t, err)
	f := &fake{answer: func(string, []driver.Value) (answer, error) { return answer{}, nil }}
	s := open(t, f)
	s.settings.StatisticsSample, s.settings.Dictionary = parsed.settings.StatisticsSample, parsed.settings.Dictionary
	s.settings.Schema = "TPOX"
	for _, name := range s.afterLoad() {
		require.NoError(t, s.eachTable(t.Context(), name))
	}
	require.Contains(t, f.said(), `REORG TABLE "TPOX"."ORDERS" LONGLOBDATA RESETDICTIONARY`)
	require.Contains(t, f.said(), `"TPOX"."ORDERS" WITH DISTRIBUTION AND SAMPLED DETAILED `+
		"INDEXES ALL TABLESAMPLE SYSTEM (10)'")
}

// Another version is refused with a sentence.
func TestOpen_OtherVersion(t *testing.T) {
	for name, c := range map[string]struct{ version, identity, says string }{
		"Newer":      {"7", "x", "schema version 7 is newer than this program supports (1); use a newer release"},
		"Unreleased": {"1", "", "its schema was made by an unreleased version of this program; load it into a new database"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{answer: func(query string, args []driver.Value) (answer, error) {
				switch {
				case query != statements["get_setting"] || args[0] == store.SettingIdentity && c.identity == "":
					return answer{}, nil
				case args[0] == store.SettingIdentity:
					return answer{rows: [][]driver.Value{{[]byte(c.identity)}}}, nil
				}
				return answer{rows: [][]driver.Value{{[]byte(c.version)}}}, nil
			}}
			_, err := openConnectors(t.Context(), f, f, Options{})
			require.EqualError(t, err, c.says)
		})
	}
}
