package db2

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A question is what a trial asks a server.
type question string

const (
	askSchema      question = "Does Db2 accept each statement that creates a schema, of box.sql and of tuned.sql?"
	askConfigure   question = "Does Db2 accept the statements that configure the database (only with DB2_CONFIGURE=yes)?"
	askMigrate     question = "Does `migrate` create the schema, as the service does it?"
	askCompile     question = "Does Db2 compile each statement of the store?"
	askProbes      question = "Does Db2 accept the forms that could replace doubtful ones?"
	askConformance question = "Does the store do what the contract says (conformance suite)?"
	askTimeout     question = "Does the statement timeout interrupt a statement (SQL0952N)?"
	askStatistics  question = "Does `RUNSTATS` collect statistics, as a load asks for them, and are sizes known?"
	askPlans       question = "Does each statement find its documents by the index that it is meant to use?"
	askCampaign    question = "Does a smoke campaign complete without an error?"
	askDrop        question = "Was everything removed that the run created?"
)

// questions are all questions in the order of the page.
var questions = []question{
	askSchema, askConfigure, askMigrate, askCompile, askProbes, askTimeout, askStatistics, askConformance, askPlans,
	askCampaign, askDrop,
}

// A trial is a run on a server that may refuse any part of it. It collects what the server answers, and continues.
type trial struct {
	server   string  // the server's own description
	attempts []probe // in order
	untried  map[question]string
}

// A probe is one thing that was tried.
type probe struct {
	Question question
	Name     string
	Text     string `json:",omitempty"` // of the statement
	Millis   int64  `json:",omitempty"` // how long it took, which is not a measurement
	// Set for an attempt that failed: Db2's codes, which are 0 and empty if Db2 did not report it, and the failure.
	Code    int    `json:",omitempty"`
	State   string `json:",omitempty"`
	Reason  int    `json:",omitempty"`
	Failure string `json:",omitempty"`
}

// note records an attempt.
func (t *trial) note(q question, name, text string, err error) {
	a := probe{Question: q, Name: name, Text: text}
	if err != nil {
		e := serverErrorOf(err)
		a.Code, a.State, a.Reason, a.Failure = e.Code, e.State, e.Reason, err.Error()
	}
	t.attempts = append(t.attempts, a)
}

// A named is a statement with its name.
type named struct{ name, text string }

// each tries statements one after another, each alone. One that loses its connection is tried once more, because the
// statement before it may be the reason.
func (t *trial) each(q question, list []named, try func(text string) error) {
	for _, s := range list {
		began, err := time.Now(), try(s.text)
		if isLost(err) {
			err = try(s.text)
		}
		t.note(q, s.name, s.text, err)
		t.attempts[len(t.attempts)-1].Millis = time.Since(began).Milliseconds()
	}
}

func run(ctx context.Context, db *sql.DB) func(text string) error {
	return func(text string) error {
		_, err := db.ExecContext(ctx, text)
		return err
	}
}

// compile returns a function that prepares a statement and does not run it. The connections of db must not defer that
// (see eager).
func compile(ctx context.Context, db *sql.DB) func(text string) error {
	return func(text string) error {
		prepared, err := db.PrepareContext(ctx, text)
		if err == nil {
			err = prepared.Close() //nolint:sqlclosecheck // nothing is done with it
		}
		return err
	}
}

// ignoreMissing returns a function that runs a DROP, and ignores that the object does not exist.
func ignoreMissing(once func(string) error) func(string) error {
	return func(text string) error {
		err := once(text)
		if serverErrorOf(err).State == stateNoTable {
			return nil
		}
		return err
	}
}

// failed returns the failed attempts of a question, and the number of all its attempts.
func (t *trial) failed(q question) (failed []probe, all int) {
	for _, a := range t.attempts {
		if a.Question == q {
			all++
			if a.Failure != "" {
				failed = append(failed, a)
			}
		}
	}
	return failed, all
}

// answer answers a question in plain words.
func (t *trial) answer(q question) string {
	failed, all := t.failed(q)
	switch {
	case all == 0 && t.untried[q] != "":
		return "**not tried**: " + t.untried[q]
	case all == 0:
		return "**not tried**: the run ended before it"
	case len(failed) == 0:
		return fmt.Sprintf("**confirmed**: %d of %d", all, all)
	case len(failed) == all:
		return fmt.Sprintf("**not confirmed**: none of %d", all)
	}
	return fmt.Sprintf("**not confirmed**: %d of %d", all-len(failed), all)
}

// page returns the page for people to read, in Markdown.
func (t *trial) page() string {
	var b, failures strings.Builder
	fmt.Fprintf(&b, "# What this run has shown\n\nServer: %s\n\n", t.server)
	b.WriteString("| question | answer |\n|---|---|\n")
	for _, q := range questions {
		fmt.Fprintf(&b, "| %s | %s |\n", q, t.answer(q))
		failed, _ := t.failed(q)
		if len(failed) > 0 {
			fmt.Fprintf(&failures, "\n## Not confirmed: %s\n\n| what | Db2's answer |\n|---|---|\n", q)
		}
		for _, a := range failed {
			text := strings.ReplaceAll(strings.Join(strings.Fields(a.Failure), " "), "|", `\|`)
			text = strings.ToValidUTF8(text[:min(len(text), 400)], "")
			if a.Code != 0 {
				text = fmt.Sprintf("SQLCODE %d, SQLSTATE %s, reason %d: %s", a.Code, a.State, a.Reason, text)
			}
			fmt.Fprintf(&failures, "| %s | %s |\n", a.Name, text)
		}
	}
	return b.String() + "\nA time in these files is not a measurement. No file holds the password. " +
		"Please send the whole folder.\n" + failures.String()
}

// write writes the page and all attempts into a folder.
func (t *trial) write(folder string) error {
	all, err := json.MarshalIndent(t.attempts, "", "  ")
	return errors.Join(err,
		os.WriteFile(filepath.Join(folder, "README.md"), []byte(t.page()), 0o644),
		os.WriteFile(filepath.Join(folder, "attempts.json"), append(all, '\n'), 0o644),
	)
}

// Whatever a server answers to one statement, all others are tried too, and the page says what it answered.
func TestTrial_EachCode(t *testing.T) {
	all := everything(testSchema)
	const victim = "customer_max_order"
	for code, state := range map[int]string{
		-104: "42601", -964: "57011", codeInterrupted: "57014", codeRolledBack: "40001", codeLost: "08001", -9999: "99999",
	} {
		tried := make(map[string]int)
		f := &fake{prepare: func(query string) error {
			tried[query]++
			if query == statements[victim] {
				return failure(code, state)
			}
			return nil
		}}
		var v trial
		v.each(askCompile, all, compile(t.Context(), bare(t, f)))
		require.False(t, slices.ContainsFunc(all, func(s named) bool { return tried[s.text] == 0 }), code)
		failed, _ := v.failed(askCompile)
		require.Len(t, failed, 1, code)
		said := fmt.Sprintf("%s | SQLCODE %d, SQLSTATE %s, reason 0: said the fake |", victim, code, state)
		require.Contains(t, v.page(), said)
		require.Regexp(t, `not confirmed\*\*: \d+ of \d+`, v.answer(askCompile))
	}
}

// testSchema is the schema of the tests if the URL names none.
const testSchema = "BROKERAGE_TEST"

// everything returns all statements and their forms for longer documents. Each placeholder gets one of its values.
func everything(schema string) (list []named) {
	x := Schemas[0]
	fill := strings.NewReplacer("$schema", schema, "$table", "CUSTACC", "$name", x.Name, "$file", x.File, "$seconds", "5")
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		text := statements[name]
		if !strings.Contains(text, "XMLQUERY") && !strings.Contains(text, "XMLEXISTS") { // whose variables begin with $ too
			text = fill.Replace(text)
		}
		for _, width := range widths {
			wide := widened(text, width)
			for _, v := range []named{{width, wide}, {width + " padded", padded(wide)}} {
				if !slices.ContainsFunc(list, func(known named) bool { return known.text == v.text }) {
					list = append(list, named{strings.TrimSpace(name + " " + v.name), v.text})
				}
			}
		}
	}
	return list
}

// A doubt is an XQuery expression, with the result that Db2's manual requires.
type doubt struct{ name, query, answer string }

var doubts = []doubt{
	{"fn:round-half-to-even", `fn:round-half-to-even(xs:decimal("0.125") * 100)`, "12"},
	{"rounding by fn:floor", `let $x := xs:decimal("0.135") * 100, $f := fn:floor($x) return xs:integer(` +
		`if ($x - $f > 0.5 or ($x - $f = 0.5 and $f mod 2 != 0)) then $f + 1 else $f)`, "14"},
	{"a decimal of 40 digits is castable or not, and no error",
		`if ("1234567890123456789012345678901234567890" castable as xs:decimal) then "known" else "known"`, "known"},
	{"fn:substring of a missing element", `fn:substring(fn:string(()), 1, 10)`, ""},
}

// text returns a statement that evaluates the expression.
func (d doubt) text() string {
	return "VALUES XMLCAST(XMLQUERY('fn:string(" + d.query + ")') AS VARCHAR(40))"
}

// rounding finds the rounding by fn:floor in the trades.
var rounding = regexp.MustCompile(`\$(\w+)X := (.*), \$\w+F := .*\n.*\$\w+N := xs:integer\(.*\),\n`)

// shorter returns a shorter form of a trade's statement, with fn:round-half-to-even, a function that may not exist.
func shorter(trade string) string {
	return rounding.ReplaceAllString(statements[trade], "$$${1}N := xs:integer(fn:round-half-to-even(${2})),\n")
}

// A design is what a script of deploy/db2 does in a database that exists: the statements that create the schema, and
// those that configure the database.
type design struct {
	name     string
	ddl      []string
	settings []string // of the database
}

var (
	ofSchema = regexp.MustCompile(
		`^(CREATE (TABLE|UNIQUE|INDEX|BUFFERPOOL|LARGE|SYSTEM)|ALTER TABLE|INSERT INTO leases)`)
	configuring = regexp.MustCompile(`CALL SYSPROC\.ADMIN_CMD\('(?:UPDATE DATABASE CONFIGURATION|AUTOCONFIGURE).*'\)`)
)

func designs(schema string) (list []design, err error) {
	named := strings.NewReplacer("TPOX_", storageName(schema)+"_", "TPOX.", schema+".")
	for _, name := range []string{"box", "tuned"} {
		text, err := os.ReadFile("../../../deploy/db2/" + name + ".sql")
		if err != nil {
			return nil, err
		}
		d := design{name: name, settings: configuring.FindAllString(string(text), -1)}
		for _, statement := range split(named.Replace(string(text))) {
			if ofSchema.MatchString(statement) {
				d.ddl = append(d.ddl, statement)
			}
		}
		list = append(list, d)
	}
	return list, nil
}

// alone returns statements, each named by what and its first 40 characters.
func alone(what string, texts []string) (list []named) {
	for _, text := range texts {
		list = append(list, named{fmt.Sprintf("%s: %.40s", what, text), text})
	}
	return list
}

// creation finds what a statement creates.
var creation = regexp.MustCompile(
	`^CREATE (?:(?:UNIQUE|LARGE|SYSTEM|TEMPORARY) )*(INDEX|TABLE|TABLESPACE|BUFFERPOOL) (\S+)`)

func isStorage(text string) bool {
	m := creation.FindStringSubmatch(text)
	return len(m) > 0 && (m[1] == "TABLESPACE" || m[1] == "BUFFERPOOL")
}

// undo returns the statements that drop the registered XML schemas and what a script has created in a schema, the last
// first. Of the indexes only XML indexes are dropped, for the stand-in: on Db2 each goes with its table.
func undo(schema string, ddl []string) (drops []string) {
	for _, x := range Schemas {
		drops = append(drops, "DROP XSROBJECT "+schema+"."+x.Name)
	}
	for _, text := range slices.Backward(ddl) {
		m := creation.FindStringSubmatch(text)
		switch {
		case m == nil, m[1] == "INDEX" && !strings.Contains(text, "XMLPATTERN"):
		case m[1] == "INDEX", m[1] == "TABLE":
			drops = append(drops, "DROP "+m[1]+" "+schema+"."+m[2])
		default:
			drops = append(drops, "DROP "+m[1]+" "+m[2])
		}
	}
	return drops
}

// holds lists what a trial would drop, or could not distinguish from its own.
const holds = `SELECT what FROM (
	SELECT 'the table ' || tabname AS what FROM SYSCAT.TABLES WHERE tabschema = CAST(? AS VARCHAR(128))
	UNION ALL
	SELECT 'the XML schema ' || objectname AS what FROM SYSCAT.XSROBJECTS WHERE objectschema = CAST(? AS VARCHAR(128))
	UNION ALL
	SELECT 'the table space ' || tbspace AS what FROM SYSCAT.TABLESPACES WHERE tbspace IN ('$names')
	UNION ALL
	SELECT 'the buffer pool ' || bpname AS what FROM SYSCAT.BUFFERPOOLS WHERE bpname IN ('$names')
) AS t`

// requireNothing returns an error unless a schema is empty or does not exist, and none of the table spaces and buffer
// pools exist that designs create for it. A trial drops all of them, so it must have made all of them.
func requireNothing(ctx context.Context, db *sql.DB, schema string, designs []design) error {
	var names []string
	for _, d := range designs {
		for _, text := range d.ddl {
			if isStorage(text) {
				names = append(names, creation.FindStringSubmatch(text)[2])
			}
		}
	}
	query := strings.ReplaceAll(holds, "$names", strings.Join(names, "', '"))
	found, err := texts(ctx, db, query, schema, schema)
	if err != nil {
		return fmt.Errorf("cannot find out whether the schema %s is empty: %w", schema, err)
	}
	if len(found) > 0 {
		return fmt.Errorf("the schema %s holds %s: the tests empty and drop their schema, so they refuse one that holds "+
			"anything; name another one (DB2_DSN=db2://…?schema=NAME), or drop what an interrupted run has left (drop.clp)",
			schema, strings.Join(found, ", "))
	}
	return nil
}

// texts returns the rows of a query of one column.
func texts(ctx context.Context, db *sql.DB, query string, args ...any) (list []string, err error) {
	err = eachRow(ctx, db, query, args, func(rows *sql.Rows) error {
		var text sql.NullString
		err := rows.Scan(&text)
		list = append(list, strings.TrimSpace(text.String))
		return err
	})
	return list, err
}

// configured lists statements that would restore the present configuration of the database and its buffer pools.
const configured = `SELECT 'UPDATE DATABASE CONFIGURATION USING ' || UPPER(name) || ' ' ||
	CASE WHEN COALESCE(deferred_value_flags, value_flags) IN ('AUTOMATIC', 'COMPUTED')
		THEN COALESCE(deferred_value_flags, value_flags) ELSE COALESCE(deferred_value, value, '') END
	FROM SYSIBMADM.DBCFG WHERE dbpartitionnum = 0
UNION ALL
SELECT 'ALTER BUFFERPOOL ' || bpname || ' SIZE ' ||
	CASE WHEN npages < 0 THEN 'AUTOMATIC' ELSE CAST(npages AS VARCHAR(20)) END FROM SYSCAT.BUFFERPOOLS`

// configurations are queries for the settings of database, instance and registry.
var configurations = []named{
	{"database configuration", "SELECT name || ' ' || COALESCE(value, '') FROM SYSIBMADM.DBCFG ORDER BY 1"},
	{"instance configuration", "SELECT name || ' ' || COALESCE(value, '') FROM SYSIBMADM.DBMCFG ORDER BY 1"},
	{"registry variables", "SELECT reg_var_name || ' ' || reg_var_value FROM SYSIBMADM.REG_VARIABLES ORDER BY 1"},
}

// measured returns queries for Db2's figures on buffer pools, cached statements and the loaded tables of a schema.
func measured(schema string) (list []named) {
	for _, of := range [][2]string{{"cadoc", "custacc"}, {"odoc", "orders"}, {"sdoc", "security"}} {
		list = append(list, named{"documents of " + of[1] + " in their rows, of all", fmt.Sprintf(
			"SELECT VARCHAR(SUM(ADMIN_IS_INLINED(%s))) || ' ' || VARCHAR(COUNT(*)) FROM %s.%s", of[0], schema, of[1])})
	}
	return append(list,
		named{"buffer pools, in pages", `SELECT bp_name || ' ' || VARCHAR(bp_cur_buffsz)
			FROM TABLE(SYSPROC.MON_GET_BUFFERPOOL(CAST(NULL AS VARCHAR(128)), -2)) AS t`},
		named{"compression: mode, percent of pages saved, average row", `SELECT tabname || ' ' || object_type || ' ' ||
				rowcompmode || ' ' || VARCHAR(pctpagessaved_current) || ' ' || VARCHAR(avgrowsize_current)
			FROM TABLE(SYSPROC.ADMIN_GET_TAB_COMPRESS_INFO('` + schema + `', CAST(NULL AS VARCHAR(128)))) AS t`},
		named{"statements that took longest: executions, time, rows read", `SELECT VARCHAR(num_executions) || ' ' ||
				VARCHAR(total_act_time) || ' ' || VARCHAR(rows_read) || ' ' || VARCHAR(SUBSTR(stmt_text, 1, 200), 200)
			FROM TABLE(SYSPROC.MON_GET_PKG_CACHE_STMT(
				'D', CAST(NULL AS VARCHAR(32) FOR BIT DATA), CAST(NULL AS CLOB(8K)), -2)) AS t
			ORDER BY total_act_time DESC FETCH FIRST 60 ROWS ONLY`},
	)
}

// inventory returns the rows of queries, or why there are none.
func inventory(ctx context.Context, db *sql.DB, queries []named) string {
	var b strings.Builder
	for _, q := range queries {
		rows, err := texts(ctx, db, q.text)
		if fmt.Fprintf(&b, "== %s\n%s\n", q.name, strings.Join(rows, "\n")); err != nil {
			fmt.Fprintf(&b, "not known: %v\n", err)
		}
	}
	return b.String()
}
