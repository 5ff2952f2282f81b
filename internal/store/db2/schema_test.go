package db2

import (
	"database/sql/driver"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/testenv"
)

// Buffer pools and table spaces belong to the database: those of two schemas have different names, which Db2 accepts.
func TestStorageName(t *testing.T) {
	taken := make(map[string]bool)
	for _, schema := range []string{"TPOX", "BROKERAGE_TEST", "BROKERAGE_TEST2", "A", "_A", "DB-USER"} {
		name := storageName(schema)
		require.Regexp(t, `^[A-Z][A-Z0-9_]{0,11}$`, name)
		require.False(t, taken[name], schema)
		taken[name] = true
	}
}

// The scripts box.sql and tuned.sql in deploy/db2, which also create a database, create the schema of the store; only
// where its tables are stored may differ. Every table space that a script names has pages of 16 KB.
func TestScripts_OfDatabases(t *testing.T) {
	placed := regexp.MustCompile(`\s+IN TPOX\S+(?: INDEX IN TPOX\S+ LONG IN TPOX\S+)?`)
	others := regexp.MustCompile(`^(CREATE (DATABASE|BUFFERPOOL|(LARGE |SYSTEM TEMPORARY )?TABLESPACE)|CONNECT|CALL|` +
		`INSERT INTO settings|(DE)?ACTIVATE)`)
	ofSchema := func(script string) (list []string) {
		for _, text := range split(script) {
			if !others.MatchString(text) {
				list = append(list, placed.ReplaceAllString(text, ""))
			}
		}
		return list
	}
	script, err := Script("db2://tpox:secret@h/D")
	require.NoError(t, err)
	require.NotContains(t, script, "secret")
	for _, name := range []string{"box.sql", "tuned.sql"} {
		text := testenv.Text(t, "../../../deploy/db2/"+name)
		require.Equal(t, ofSchema(script), ofSchema(text), name)
		for _, space := range regexp.MustCompile(`\bIN (TPOX\w+)`).FindAllStringSubmatch(text, -1) {
			require.Contains(t, text, "TABLESPACE "+space[1]+" PAGESIZE 16 K ")
		}
		require.Contains(t, text, "'schema.version', '"+strconv.Itoa(store.SchemaVersion)+"'")
	}
}

// A database is a fake that has no schema at first, and refuses the statements for which refuse returns an error.
type database struct {
	*fake
	stamp map[driver.Value]driver.Value // the settings
}

func newDatabase(refuse func(query string) error) *database {
	d := &database{stamp: make(map[driver.Value]driver.Value)}
	d.fake = &fake{answer: func(query string, args []driver.Value) (answer, error) {
		switch name := nameOf(query); {
		case name == "insert_setting":
			d.stamp[args[0]] = args[1]
		case name == "get_setting" && d.stamp[args[0]] != nil:
			return answer{rows: [][]driver.Value{{d.stamp[args[0]]}}}, nil
		case name == "get_setting":
			return answer{}, nil
		case name == "collation":
			return answer{rows: [][]driver.Value{{"IDENTITY"}}}, nil
		case strings.HasPrefix(name, "count_"):
			return answer{rows: [][]driver.Value{{int64(0)}}}, nil
		}
		return answer{changed: 1}, refuse(query)
	}}
	return d
}

func nothing(string) error { return nil }

// makeSchema opens a store on a database without a schema.
func (d *database) makeSchema(t testing.TB) error {
	t.Helper()
	s, err := openConnectors(t.Context(), d, d, Options{
		Schema: "TPOX", Notice: func(text string) { require.Fail(t, text) },
	})
	if err == nil {
		require.True(t, s.Made())
		require.Regexp(t, `^[0-9a-f]{32}$`, s.stamp.Identity)
		require.NoError(t, s.Close())
	}
	return err
}

// The buffer pool and the table space are committed before the transaction that uses them, the XML schemas are
// registered after it, and the version is last. Nothing configures the database.
func TestSchema_Order(t *testing.T) {
	d := newDatabase(nothing)
	require.NoError(t, d.makeSchema(t))
	begin, commit := slices.Index(d.calls, "BEGIN"), slices.Index(d.calls, "COMMIT")
	require.Less(t, begin, commit)
	ddl := Options{Schema: "TPOX"}.DDL()
	require.Subset(t, d.calls[:begin], ddl[:committedAlone])
	require.Subset(t, d.calls[begin:commit], ddl[committedAlone:])
	for i, text := range ddl {
		require.Equal(t, i == 1 || i == 2, isStorage(text), text)
	}
	require.NotContains(t, d.said(), "ADMIN_CMD")
	after := strings.Join(d.calls[commit:], " ")
	for _, x := range Schemas {
		require.Contains(t, after, "DEFAULT '"+x.Name+"'")
		require.Contains(t, after, `GRANT USAGE ON XSROBJECT "TPOX"."`+x.Name+`" TO PUBLIC`)
	}
	require.Contains(t, after[strings.LastIndex(after, "GRANT"):], "insert_setting")
}

// Wherever an attempt ended, the next one continues it.
func TestSchema_Again(t *testing.T) {
	var refuse map[string]error
	d := newDatabase(func(query string) error {
		for begin, err := range refuse {
			if strings.HasPrefix(query, begin) {
				return err
			}
		}
		return nil
	})
	exists := failure(-601, stateExists)
	for _, step := range []struct {
		refuse map[string]error
		fails  string
	}{
		{map[string]error{"CREATE TABLESPACE": failure(-552, stateNoAuthority)}, "CREATE TABLESPACE"},
		// In the transaction a table that exists is an error: nothing is known of what it holds.
		{map[string]error{"CREATE TABLE custacc": exists}, "CREATE TABLE custacc"},
		{map[string]error{"CREATE TABLE settings": exists, "CREATE BUFFER": exists, "CREATE TABLESPACE": exists,
			"BEGIN": failure(-204, "42704")}, "registering custacc.xsd"},
		{map[string]error{"CREATE TABLE": exists, "CREATE BUFFER": exists, "BEGIN": exists}, ""},
	} {
		refuse = step.refuse
		if err := d.makeSchema(t); step.fails != "" {
			require.ErrorContains(t, err, step.fails)
		} else {
			require.NoError(t, err)
		}
	}
}
