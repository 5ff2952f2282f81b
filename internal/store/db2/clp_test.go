package db2

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/testenv"
)

// The scripts are for somebody who has a Db2 and no Go (make db2-scripts). They end a statement with a tilde, which no
// statement contains: CLP would end one at a semicolon at the end of a line, where XQuery has some.

const terminator = "~"

// explainable are the first words of the statements that Db2 explains.
var explainable = []string{"SELECT", "INSERT", "UPDATE", "DELETE"}

func isExplainable(text string) bool { return slices.Contains(explainable, strings.Fields(text)[0]) }

// clpScript returns a script for Db2's command line processor that compiles each statement without running it, and then
// lists the plans. EXPLAIN runs nothing even if a statement before it has failed, which a mode of the connection would
// not promise.
func clpScript(schema string) string {
	var b strings.Builder
	b.WriteString("-- Compiles the store's statements and runs none of them; docs/db2.md says how to use it.\n" +
		"-- The schema must exist. What is answered without an error code was accepted. The last query lists the plans.\n\n")
	say := func(text string) { b.WriteString(text + terminator + "\n\n") }
	say(installExplain)
	say("SET CURRENT SCHEMA = '" + schema + "'")
	var numbers []string
	for _, s := range everything(schema) {
		if !isExplainable(s.text) {
			continue
		}
		i := len(numbers) + 1 // a number is positive
		fmt.Fprintf(&b, "-- %d: %s\n", i, s.name)
		say(fmt.Sprintf("EXPLAIN PLAN SET QUERYNO = %d FOR\n%s", i, literally(s.text)))
		numbers = append(numbers, fmt.Sprintf("(%d, '%s')", i, s.name))
	}
	say("WITH names (queryno, name) AS (VALUES\n  " + strings.Join(numbers, ",\n  ") + ")\n" +
		`SELECT s.queryno, VARCHAR(n.name, 40) AS name, o.operator_id, o.operator_type, VARCHAR(x.object_name, 30) AS object
FROM SYSTOOLS.EXPLAIN_STATEMENT AS s
JOIN names AS n ON n.queryno = s.queryno
JOIN SYSTOOLS.EXPLAIN_OPERATOR AS o ON o.explain_requester = s.explain_requester AND o.explain_time = s.explain_time
JOIN SYSTOOLS.EXPLAIN_STREAM AS x ON x.explain_requester = o.explain_requester AND x.explain_time = o.explain_time
  AND x.target_id = o.operator_id AND x.object_name IS NOT NULL
WHERE s.explain_level = 'P' AND s.explain_requester = SESSION_USER AND s.explain_time > CURRENT TIMESTAMP - 1 HOUR
ORDER BY s.queryno, o.operator_id`)
	return b.String()
}

// cliScript returns the statements for db2cli execsql -prepareonly, which compiles them with their parameters.
func cliScript(schema string) string {
	var b strings.Builder
	b.WriteString("-- The store's statements, for db2cli execsql -prepareonly; docs/db2.md says how to use it.\n" +
		"-- The schema must exist.\n")
	for _, s := range everything(schema) {
		fmt.Fprintf(&b, "-- %s\n%s\n%s\n", s.name, s.text, terminator)
	}
	return b.String()
}

// plainScript returns statements as a script for CLP.
func plainScript(comment string, texts []string) string {
	return "-- " + comment + "\n\n" +
		strings.Join(texts, terminator+"\n\n") + terminator + "\n"
}

// undoAll returns the statements that remove everything that a run may have created in a schema.
func undoAll(schema string, designs []design) (drops []string) {
	drops = undoSchemas(schema)
	for _, kind := range []string{"TABLE", "TABLESPACE", "BUFFERPOOL"} {
		for _, d := range designs {
			for _, text := range undo(schema, d.ddl) {
				if strings.HasPrefix(text, "DROP "+kind+" ") && !slices.Contains(drops, text) {
					drops = append(drops, text)
				}
			}
		}
	}
	return drops
}

// writeScripts writes all scripts into a folder.
func writeScripts(t testing.TB, folder string, settings Options) {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o755))
	schema := settings.Schema
	ddl := settings.DDL()
	all, err := designs(schema)
	require.NoError(t, err)
	create := append([]string{"SET CURRENT SCHEMA = '" + schema + "'"}, ddl...)
	for _, x := range Schemas {
		text, err := api.Schemas.ReadFile("schema/" + x.File)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, x.File), text, 0o644))
		create = append(create,
			fmt.Sprintf("REGISTER XMLSCHEMA '%s' FROM '%s' AS %s.%s COMPLETE", x.File, x.File, schema, x.Name))
	}
	for name, text := range map[string]string{
		"compile.clp": clpScript(schema),
		"compile.sql": cliScript(schema),
		"schema.clp":  plainScript("Creates the schema. The XML schemas are beside this file.", create),
		"drop.clp": plainScript("Removes what schema.clp or an interrupted run has created. Most of it does not exist.",
			undoAll(schema, all)),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
}

// TestScripts checks what make db2-scripts writes.
func TestScripts(t *testing.T) {
	folder := os.Getenv("DB2_EVIDENCE")
	if folder == "" {
		folder = t.TempDir()
	}
	testSchema := cmp.Or(strings.ToUpper(os.Getenv("DB2_SCHEMA")), testSchema)
	writeScripts(t, folder, Options{Schema: testSchema})
	read := func(name string) (text string, list []string) {
		b := testenv.Text(t, filepath.Join(folder, name))
		return b, strings.Split(b, terminator)
	}
	for _, s := range everything(testSchema) {
		require.NotContains(t, s.text, terminator, s.name)
		require.NotRegexp(t, `['"]?\$(schema|table|file)\b`, s.text, s.name+" has a name that was not filled in")
	}
	clp, explained := read("compile.clp")
	require.NotContains(t, clp, "?", "CLP has no parameters")
	require.Greater(t, len(explained), 60)
	for _, text := range explained {
		_, text, _ = strings.Cut(text, "FOR\n")
		require.NotRegexp(t, `^(TRUNCATE|LOCK|CALL|BEGIN|SET)`, text)
	}
	_, prepared := read("compile.sql")
	require.Len(t, prepared, len(everything(testSchema))+1)
	drops, _ := read("drop.clp")
	for _, what := range []string{
		"DROP TABLE " + testSchema + ".custacc", "DROP XSROBJECT " + testSchema + ".CUSTACC",
		"DROP TABLESPACE", "DROP BUFFERPOOL",
	} {
		require.Contains(t, drops, what)
	}
	all, err := designs(testSchema)
	require.NoError(t, err)
	for _, d := range append(all, design{ddl: Options{Schema: testSchema}.DDL()}) {
		require.Greater(t, len(d.ddl), 20)
		for _, text := range undo(testSchema, d.ddl) {
			require.True(t, strings.HasPrefix(text, "DROP INDEX ") || strings.Contains(drops, text+terminator), text)
		}
	}
	require.Less(t, strings.Index(drops, ".custacc"), strings.Index(drops, "DROP TABLESPACE"))
	require.Less(t, strings.Index(drops, "DROP TABLESPACE"), strings.Index(drops, "DROP BUFFERPOOL"))
}
