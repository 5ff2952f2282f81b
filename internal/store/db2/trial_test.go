package db2

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// testSchema is the schema of the tests if the URL names none.
const testSchema = "BROKERAGE_TEST"

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

// failed returns the attempts of a question that failed, and how many there were.
func (t *trial) failed(q question) (failed []probe, all int) {
	for _, a := range t.attempts {
		if a.Question != q {
			continue
		}
		all++
		if a.Failure != "" {
			failed = append(failed, a)
		}
	}
	return failed, all
}

// A named statement is tried alone.
type named struct{ name, text string }

// serverGone is how many attempts in a row may lose their connection before the rest is not tried.
const serverGone = 3

// each tries statements one after another, each alone. One that loses its connection is tried once more, because the
// statement before it may be the reason.
func (t *trial) each(q question, list []named, try func(text string) error) {
	gone := 0
	for i, s := range list {
		began := time.Now()
		err := try(s.text)
		if isLost(err) {
			err = try(s.text)
		}
		t.note(q, s.name, s.text, err)
		t.attempts[len(t.attempts)-1].Millis = time.Since(began).Milliseconds()
		if !isLost(err) {
			gone = 0
		} else if gone++; gone == serverGone && i+1 < len(list) {
			t.note(q, fmt.Sprintf("%d more", len(list)-i-1), "", errors.New("not tried: the server no longer answers"))
			return
		}
	}
}

// run returns a function that runs a statement in a transaction of its own.
func run(ctx context.Context, db *sql.DB) func(text string) error {
	return func(text string) error {
		_, err := db.ExecContext(ctx, text)
		return err
	}
}

// compile returns a function that prepares a statement and does not run it. The connections of db must not defer that
// (see eager).
func compile(ctx context.Context, db *sql.DB) func(text string) error {
	return func(text string) (err error) {
		prepared, err := db.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		defer func() { err = prepared.Close() }()
		return nil
	}
}

// ignoreMissing returns a function that drops what may not be there, because it was refused or dropped before.
func ignoreMissing(once func(string) error) func(string) error {
	return func(text string) error {
		err := once(text)
		if serverErrorOf(err).State == stateNoTable {
			return nil
		}
		return err
	}
}

// eager is a keyword of the client library with which it sends a statement to the server when it is prepared. By
// default it sends one without parameters only when it is executed.
const eager = "DeferredPrepare=0"

// withKeyword returns a connection string with a keyword of the client library in place of its former value.
func withKeyword(t target, keyword string) string {
	if keyword == "" {
		return t.adminDSN()
	}
	name, _, _ := strings.Cut(keyword, "=")
	others := slices.DeleteFunc(strings.Split(t.adminDSN(), ";"), func(known string) bool {
		return strings.HasPrefix(known, name+"=")
	})
	return strings.Join(append(others, keyword), ";")
}

// everything returns all statements as the store sends them, with the types that it declares for longer documents.
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

// A doubt is a query that answers a doubt about Db2's XQuery, with the answer that the manual promises.
type doubt struct{ name, query, answer string }

const decimals40 = "1234567890123456789012345678901234567890"

var doubts = []doubt{
	{"fn:round-half-to-even", `fn:round-half-to-even(xs:decimal("0.125") * 100)`, "12"},
	{"rounding by fn:floor", `let $x := xs:decimal("0.135") * 100, $f := fn:floor($x) return xs:integer(` +
		`if ($x - $f > 0.5 or ($x - $f = 0.5 and $f mod 2 != 0)) then $f + 1 else $f)`, "14"},
	{"a decimal of 40 digits is castable or not, and no error",
		`if ("` + decimals40 + `" castable as xs:decimal) then "known" else "known"`, "known"},
	{"fn:substring of a missing element", `fn:substring(fn:string(()), 1, 10)`, ""},
}

// text returns the statement whose one value answers a doubt.
func (d doubt) text() string {
	return "VALUES XMLCAST(XMLQUERY('fn:string(" + d.query + ")') AS VARCHAR(40))"
}

// rounding finds the rounding by fn:floor in the trades.
var rounding = regexp.MustCompile(`\$(\w+)X := (.*), \$\w+F := .*\n.*\$\w+N := xs:integer\(.*\),\n`)

// shorter returns a trade whose rounding is fn:round-half-to-even, which is shorter and may not exist.
func shorter(trade string) string {
	return rounding.ReplaceAllString(statements[trade], "$$${1}N := xs:integer(fn:round-half-to-even(${2})),\n")
}

// alone returns the statements of a script with their names: their first words.
func alone(what string, texts []string) (list []named) {
	for _, text := range texts {
		list = append(list, named{what + ": " + title(text), text})
	}
	return list
}

// adjectives are words that may follow CREATE.
const adjectives = `(?:(?:UNIQUE|LARGE|SYSTEM|USER|TEMPORARY) )*`

// headOf finds the words of a statement up to the name of its object.
var headOf = regexp.MustCompile(
	`^(?:CREATE ` + adjectives + `\w+ \w+|DROP \w+ [\w.]+|INSERT INTO \w+|CALL [\w.]+\('\w+)`,
)

func title(text string) string {
	return cmp.Or(headOf.FindString(text), fmt.Sprintf("%.40s", text))
}

// creation finds what a statement creates.
var creation = regexp.MustCompile(`^CREATE ` + adjectives + `(INDEX|TABLE|TABLESPACE|BUFFERPOOL) (\S+)`)

// createdBy returns the kind and the name of what a statement creates, both empty if that is nothing.
func createdBy(text string) (kind, name string) {
	if m := creation.FindStringSubmatch(text); len(m) > 2 {
		return m[1], m[2]
	}
	return "", ""
}

// undo returns the statements that remove what a script has created in a schema, the last first. Only XML indexes need
// one of their own, for the stand-in: on Db2 they are dropped with their table.
func undo(schema string, ddl []string) (drops []string) {
	for _, text := range slices.Backward(ddl) {
		switch kind, name := createdBy(text); {
		case kind == "", kind == "INDEX" && !strings.Contains(text, "XMLPATTERN"):
		case kind == "INDEX", kind == "TABLE":
			drops = append(drops, "DROP "+kind+" "+schema+"."+name)
		default:
			drops = append(drops, "DROP "+kind+" "+name)
		}
	}
	return drops
}

// undoSchemas returns the statements that remove the registered XML schemas.
func undoSchemas(schema string) (drops []string) {
	for _, x := range Schemas {
		drops = append(drops, "DROP XSROBJECT "+schema+"."+x.Name)
	}
	return drops
}

// columnsOf finds a table and its columns in the statement that creates it, without the clauses on storage.
var (
	columnsOf = regexp.MustCompile(`(?s)^(CREATE TABLE \w+ \(.*\))[^)]*$`)
	inline    = regexp.MustCompile(` INLINE LENGTH \d+`)
)

// plainly returns the tables and indexes of a script in the table space that Db2 chooses, so that the other statements
// can be tried on a server that refuses a table space or a buffer pool.
func plainly(ddl []string) (plain []string) {
	for _, text := range ddl {
		switch kind, _ := createdBy(text); kind {
		case "", "INDEX":
			plain = append(plain, text)
		case "TABLE":
			plain = append(plain, inline.ReplaceAllString(columnsOf.ReplaceAllString(text, "$1"), ""))
		}
	}
	return plain
}

// holds finds what a trial would drop, or could not tell from its own.
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
	var names, found []string
	for _, d := range designs {
		for _, text := range d.ddl {
			if kind, name := createdBy(text); kind == "TABLESPACE" || kind == "BUFFERPOOL" {
				names = append(names, strings.ToUpper(name))
			}
		}
	}
	query := strings.ReplaceAll(holds, "$names", strings.Join(names, "', '"))
	err := eachRow(ctx, db, query, []any{schema, schema}, func(rows *sql.Rows) error {
		var what string
		err := rows.Scan(&what)
		found = append(found, strings.TrimSpace(what))
		return err
	})
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

// A design is a script of deploy/db2 for a schema in a database that exists: its statements without those of the
// command line processor.
type design struct {
	name     string
	ddl      []string
	settings []string // statements that configure the database
}

var (
	ofSchema = regexp.MustCompile(
		`^(CREATE (TABLE|UNIQUE|INDEX|BUFFERPOOL|LARGE|SYSTEM)|ALTER TABLE|INSERT INTO leases)`)
	configuring  = regexp.MustCompile(`CALL SYSPROC\.ADMIN_CMD\('(?:UPDATE DATABASE CONFIGURATION|AUTOCONFIGURE).*'\)`)
	designFolder = filepath.Join("..", "..", "..", "deploy", "db2")
)

func designs(schema string) (list []design, err error) {
	named := strings.NewReplacer("TPOX_", storageName(schema)+"_", "TPOX.", schema+".")
	for _, name := range []string{"box", "tuned"} {
		text, err := os.ReadFile(filepath.Join(designFolder, name+".sql"))
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

// configurationOf returns the statements that set what the configuration of the database and its buffer pools are now,
// by what each sets.
func configurationOf(ctx context.Context, db *sql.DB) (map[string]string, error) {
	now := make(map[string]string)
	err := eachRow(ctx, db, `SELECT name, COALESCE(deferred_value, value), COALESCE(deferred_value_flags, value_flags)
		FROM SYSIBMADM.DBCFG WHERE dbpartitionnum = 0`, nil, func(rows *sql.Rows) error {
		var name string
		var value, flags sql.NullString
		err := rows.Scan(&name, &value, &flags)
		if flag := strings.TrimSpace(flags.String); flag == "AUTOMATIC" || flag == "COMPUTED" {
			value.String = flag
		}
		now[name] = fmt.Sprintf("UPDATE DATABASE CONFIGURATION USING %s %s", strings.ToUpper(name), value.String)
		return err
	})
	if err != nil {
		return nil, err
	}
	return now, eachRow(ctx, db, "SELECT bpname, npages FROM SYSCAT.BUFFERPOOLS", nil, func(rows *sql.Rows) error {
		var name string
		var pages int64
		err := rows.Scan(&name, &pages)
		size := fmt.Sprint(pages)
		if pages < 0 {
			size = "AUTOMATIC"
		}
		now["bufferpool "+name] = fmt.Sprintf("ALTER BUFFERPOOL %s SIZE %s", strings.TrimSpace(name), size)
		return err
	})
}

// restoring returns a script that sets again what is different now.
func restoring(before, now map[string]string) string {
	var changed []string
	for _, what := range slices.Sorted(maps.Keys(before)) {
		if before[what] != now[what] {
			changed = append(changed, before[what])
		}
	}
	return plainScript("Restores the configuration of the database that the trial has changed. Connect first.", changed)
}

// configurations are the settings of database, instance and registry.
var configurations = []named{
	{"database configuration", "SELECT name, value, deferred_value FROM SYSIBMADM.DBCFG ORDER BY name"},
	{"instance configuration", "SELECT name, value, deferred_value FROM SYSIBMADM.DBMCFG ORDER BY name"},
	{"registry variables", "SELECT reg_var_name, reg_var_value FROM SYSIBMADM.REG_VARIABLES ORDER BY reg_var_name"},
}

// measured are what Db2 says about the loaded tables of a schema, and what it ran.
func measured(schema string) []named {
	return []named{
		{"buffer pools, in pages", `SELECT VARCHAR(bp_name, 40), bp_cur_buffsz, automatic
			FROM TABLE(SYSPROC.MON_GET_BUFFERPOOL(CAST(NULL AS VARCHAR(128)), -2)) AS t ORDER BY 1`},
		{"compression", `SELECT VARCHAR(tabname, 40), object_type, rowcompmode, pctpagessaved_current, avgrowsize_current
			FROM TABLE(SYSPROC.ADMIN_GET_TAB_COMPRESS_INFO('` + schema + `', CAST(NULL AS VARCHAR(128)))) AS t ORDER BY 1, 2`},
		{"customers in their rows, of all", "SELECT SUM(ADMIN_IS_INLINED(cadoc)), COUNT(*) FROM " + schema + ".custacc"},
		{"orders in their rows, of all", "SELECT SUM(ADMIN_IS_INLINED(odoc)), COUNT(*) FROM " + schema + ".orders"},
		{"securities in their rows, of all", "SELECT SUM(ADMIN_IS_INLINED(sdoc)), COUNT(*) FROM " + schema + ".security"},
		{"statements that took longest", `SELECT num_executions, total_act_time, rows_read,
				VARCHAR(SUBSTR(stmt_text, 1, 200), 200)
			FROM TABLE(SYSPROC.MON_GET_PKG_CACHE_STMT(
				'D', CAST(NULL AS VARCHAR(32) FOR BIT DATA), CAST(NULL AS CLOB(8K)), -2)) AS t
			ORDER BY total_act_time DESC FETCH FIRST 60 ROWS ONLY`},
	}
}

// inventory returns the rows of queries as text, or why there are none.
func inventory(ctx context.Context, db *sql.DB, queries []named) string {
	var b strings.Builder
	for _, q := range queries {
		fmt.Fprintf(&b, "== %s\n", q.name)
		err := eachRow(ctx, db, q.text, nil, func(rows *sql.Rows) error {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			err = rows.Scan(into...)
			for _, value := range values {
				b.WriteString(strings.Join(strings.Fields(value.String), " ") + "\t")
			}
			b.WriteString("\n")
			return err
		})
		if err != nil {
			fmt.Fprintf(&b, "not known: %v\n", err)
		}
	}
	return b.String()
}
