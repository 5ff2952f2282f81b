package db2

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// The scripts are for somebody who has a Db2 and no Go (make db2-scripts). They end a statement with a tilde, which
// no statement contains. With semicolons, Db2's command line processor would end a statement within its XQuery, where
// lines end with semicolons too.
const terminator = "~"

// clpScript returns statements as a script for the command line processor, which continues after errors.
func clpScript(comment string, texts []string) string {
	return "-- " + comment + "\n\n" + strings.Join(texts, terminator+"\n\n") + terminator + "\n"
}

// writeScripts writes scripts into a folder. They run none of the store's statements, but may create explain tables.
func writeScripts(t testing.TB, folder, schema string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o755))
	var explainable []named
	prepared := "-- The store's statements, for db2cli execsql -prepareonly. The schema must exist.\n"
	for _, s := range everything(schema) {
		prepared += "-- " + s.name + "\n" + s.text + "\n" + terminator + "\n"
		if slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE"}, strings.Fields(s.text)[0]) {
			// CLP has no parameters.
			explainable = append(explainable, named{s.name, strings.ReplaceAll(s.text, "CAST(? AS", "CAST('1' AS")})
		}
	}
	compiled := []string{installExplain, "SET CURRENT SCHEMA = '" + schema + "'"}
	explains, plans := explaining(explainable, 1, "SYSTOOLS")
	for _, s := range explains {
		compiled = append(compiled, "-- "+s.name+"\n"+s.text)
	}
	for name, text := range map[string]string{
		"compile.clp": clpScript("Compiles the store's statements and runs none. The schema must exist. What is answered\n"+
			"-- without an error code was accepted. The last query lists the plans.", append(compiled, plans)),
		"compile.sql": prepared,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
}

// TestScripts checks what make db2-scripts writes.
func TestScripts(t *testing.T) {
	folder := cmp.Or(os.Getenv("DB2_EVIDENCE"), t.TempDir())
	schema := cmp.Or(strings.ToUpper(os.Getenv("DB2_SCHEMA")), testSchema)
	writeScripts(t, folder, schema)
	for _, s := range everything(schema) {
		require.NotContains(t, s.text, terminator, s.name)
		require.NotRegexp(t, `['"]?\$(schema|table|file)\b`, s.text, s.name+" has a name that was not filled in")
	}
	compiled := strings.Split(testenv.Text(t, filepath.Join(folder, "compile.clp")), terminator)
	require.Greater(t, len(compiled), 60)
	for _, text := range compiled {
		require.NotContains(t, text, "?", "CLP has no parameters")
	}
}

// source returns the text of a statement's file, with its comments.
func source(name string) string {
	text, err := os.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err) // it was embedded from there
	}
	return string(text)
}

// xmlIndexes finds the XML indexes in the script that creates them, with their tables.
var xmlIndexes = regexp.MustCompile(`CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+) \(\w+\) GENERATE KEY`)

var indexLine = regexp.MustCompile(`(?m)^-- Index: (.+)\.$`)

// expectedIndexes returns the XML indexes that the file of a statement names, by table: a plan must use at least one of
// each table.
func expectedIndexes(name string) map[string][]string {
	if !strings.Contains(statements[name], "XMLEXISTS") {
		return nil
	}
	expected := make(map[string][]string)
	if line := indexLine.FindStringSubmatch(source(name)); len(line) > 0 {
		for _, m := range xmlIndexes.FindAllStringSubmatch(schemaSQL, -1) {
			if slices.Contains(strings.Split(line[1], ", "), m[1]) {
				expected[m[2]] = append(expected[m[2]], strings.ToUpper(m[1]))
			}
		}
	}
	return expected
}

// An operator is a step of an access plan, and the table or index that it reads.
type operator struct {
	id           int
	kind, object string
	cost         float64
}

// requirePlan returns an error if a plan does not use the indexes that it should, or scans a table of documents.
func requirePlan(plan []operator, expected map[string][]string) error {
	for _, indexes := range expected {
		if !slices.ContainsFunc(plan, func(o operator) bool {
			return o.kind == "XISCAN" && slices.Contains(indexes, o.object)
		}) {
			return errors.New("the plan has no XISCAN on " + strings.Join(indexes, " or "))
		}
	}
	for _, o := range plan {
		if _, documents := kindOf(o.object); o.kind == "TBSCAN" && documents {
			return errors.New("the plan scans " + o.object)
		}
	}
	return nil
}

const (
	installExplain = "CALL SYSPROC.SYSINSTALLOBJECTS('EXPLAIN', 'C', " +
		"CAST(NULL AS VARCHAR(128)), CAST(NULL AS VARCHAR(128)))"
	// Db2 uses the explain tables of the user, and those of SYSTOOLS if the user has none.
	findExplain = `SELECT tabschema FROM SYSCAT.TABLES
		WHERE tabname = 'EXPLAIN_OPERATOR' AND tabschema IN (SESSION_USER, 'SYSTOOLS')
		ORDER BY CASE tabschema WHEN 'SYSTOOLS' THEN 1 ELSE 0 END
		FETCH FIRST 1 ROW ONLY`
	listPlans = `WITH names (queryno, name) AS (VALUES
  $names)
SELECT VARCHAR(n.name, 40) AS name, o.operator_id, VARCHAR(o.operator_type, 8) AS kind,
  VARCHAR(COALESCE(x.object_name, ''), 30) AS object, o.total_cost
FROM $explain.EXPLAIN_STATEMENT AS s
JOIN names AS n ON n.queryno = s.queryno
JOIN $explain.EXPLAIN_OPERATOR AS o ON o.explain_requester = s.explain_requester AND o.explain_time = s.explain_time
LEFT JOIN $explain.EXPLAIN_STREAM AS x ON x.explain_requester = o.explain_requester AND x.explain_time = o.explain_time
  AND x.target_id = o.operator_id AND x.object_name IS NOT NULL
WHERE s.explain_level = 'P' AND s.explain_requester = SESSION_USER AND s.explain_time > CURRENT TIMESTAMP - 1 HOUR
ORDER BY s.queryno, o.operator_id`
)

// explaining returns statements that explain those of a list, and a query for the plans of all of them in the explain
// tables of a schema. EXPLAIN runs nothing. The argument first is the lowest query number, and must be above zero.
func explaining(list []named, first int, explain string) (explains []named, plans string) {
	var numbers []string
	for i, s := range list {
		text := fmt.Sprintf("EXPLAIN PLAN SET QUERYNO = %d FOR\n%s", first+i, s.text)
		explains = append(explains, named{s.name, text})
		numbers = append(numbers, fmt.Sprintf("(%d, '%s')", first+i, s.name))
	}
	return explains, strings.NewReplacer("$names", strings.Join(numbers, ",\n  "), "$explain", explain).Replace(listPlans)
}

var markers = regexp.MustCompile(`CAST\(\? AS (\w+)`)

// arguments returns an argument for each parameter of a statement, of the type that its CAST declares.
func arguments(text string) (args []any) {
	for _, m := range markers.FindAllStringSubmatch(text, -1) {
		switch m[1] {
		case "INTEGER", "BIGINT":
			args = append(args, int64(1))
		case "DOUBLE":
			args = append(args, 1.5)
		default:
			args = append(args, "1")
		}
	}
	return args
}
