package db2

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An operator is a step of an access plan, and the table or index that it reads.
type operator struct {
	id           int
	kind, object string
	cost         float64
}

func (o operator) String() string {
	return fmt.Sprintf("%3d %-8s %-20s %12.2f", o.id, o.kind, o.object, o.cost)
}

// xmlIndexes finds the XML indexes in the script that creates them, with their tables.
var xmlIndexes = regexp.MustCompile(`CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+)`)

var indexLine = regexp.MustCompile(`(?m)^-- Index: (.+)\.$`)

// expectedIndexes returns the XML indexes that the file of a statement names, by table: a plan must use at least one of
// each table.
func expectedIndexes(name string) map[string][]string {
	if !strings.Contains(statements[name], "XMLEXISTS") {
		return nil
	}
	expected := make(map[string][]string)
	line := indexLine.FindStringSubmatch(source(name))
	if len(line) == 0 {
		return expected
	}
	for _, m := range xmlIndexes.FindAllStringSubmatch(source("schema_indexes"), -1) {
		if slices.Contains(strings.Split(line[1], ", "), m[1]) {
			expected[strings.ToUpper(m[2])] = append(expected[strings.ToUpper(m[2])], strings.ToUpper(m[1]))
		}
	}
	return expected
}

// requirePlan returns an error if a plan does not use the indexes that it should, or scans a table of documents.
func requirePlan(plan []operator, expected map[string][]string) error {
	if len(plan) == 0 {
		return errors.New("the explain tables hold no plan of it")
	}
	var wrong []string
	for _, table := range tables {
		table = strings.ToUpper(table)
		indexes, wanted := expected[table]
		if wanted && !slices.ContainsFunc(plan, func(o operator) bool {
			return o.kind == "XISCAN" && slices.Contains(indexes, o.object)
		}) {
			wrong = append(wrong, "it has no XISCAN on "+strings.Join(indexes, " or "))
		}
		if slices.ContainsFunc(plan, func(o operator) bool { return o.kind == "TBSCAN" && o.object == table }) {
			wrong = append(wrong, "it scans "+table)
		}
	}
	if len(wrong) > 0 {
		return errors.New("the plan is not as intended: " + strings.Join(wrong, "; "))
	}
	return nil
}

// A planner explains statements. One connection has CURRENT EXPLAIN MODE = EXPLAIN, in which Db2 compiles statements
// with their parameters and runs none. Another reads the plans, which the first could not.
type planner struct {
	explained *sql.Conn
	tables    *sql.DB
	schema    string // of the explain tables
}

const (
	installExplain = "CALL SYSPROC.SYSINSTALLOBJECTS('EXPLAIN', 'C', " +
		"CAST(NULL AS VARCHAR(128)), CAST(NULL AS VARCHAR(128)))"
	explainMode = "SET CURRENT EXPLAIN MODE = EXPLAIN"
	// Db2 uses the explain tables of the user, and those of SYSTOOLS if the user has none.
	findExplain = `SELECT tabschema FROM SYSCAT.TABLES
		WHERE tabname = 'EXPLAIN_OPERATOR' AND tabschema IN (SESSION_USER, 'SYSTOOLS')
		ORDER BY CASE tabschema WHEN 'SYSTOOLS' THEN 1 ELSE 0 END
		FETCH FIRST 1 ROW ONLY`
	newestPlan = `SELECT VARCHAR(MAX(explain_time)) FROM $explain.explain_statement WHERE explain_requester = SESSION_USER`
	operators  = `SELECT o.operator_id, o.operator_type, COALESCE(s.object_name, ''), o.total_cost
		FROM $explain.explain_operator AS o
		LEFT JOIN $explain.explain_stream AS s ON s.explain_requester = o.explain_requester
			AND s.explain_time = o.explain_time AND s.source_name = o.source_name AND s.source_schema = o.source_schema
			AND s.source_version = o.source_version AND s.explain_level = o.explain_level
			AND s.stmtno = o.stmtno AND s.sectno = o.sectno
			AND s.target_id = o.operator_id AND s.object_name IS NOT NULL
		WHERE o.explain_requester = SESSION_USER AND o.explain_time = TIMESTAMP(CAST(? AS VARCHAR(26)))
		ORDER BY o.operator_id`
)

// newPlanner creates explain tables if there are none. db's first connection becomes the one that explains, and should
// have prepared nothing before.
func newPlanner(ctx context.Context, db, tables *sql.DB) (*planner, error) {
	_, installed := tables.ExecContext(ctx, installExplain) // fails if they exist: the next query decides
	p := &planner{tables: tables}
	err := eachRow(ctx, tables, findExplain, nil, func(rows *sql.Rows) error { return rows.Scan(&p.schema) })
	if p.schema = strings.TrimSpace(p.schema); err == nil && p.schema == "" {
		err = errors.New("neither the user nor SYSTOOLS has explain tables")
	}
	if err != nil {
		return nil, errors.Join(err, installed)
	}
	if p.explained, err = db.Conn(ctx); err != nil {
		return nil, err
	}
	if _, err := p.explained.ExecContext(ctx, explainMode); err != nil {
		return nil, errors.Join(err, p.explained.Close())
	}
	return p, nil
}

// newest returns the time of the user's last plan, empty if there is none.
func (p *planner) newest(ctx context.Context) (at sql.NullString, err error) {
	query := strings.ReplaceAll(newestPlan, "$explain", p.schema)
	err = eachRow(ctx, p.tables, query, nil, func(rows *sql.Rows) error { return rows.Scan(&at) })
	return at, err
}

// explain returns the plan of a statement with arguments of the declared types. It is empty if the statement left none.
// In this mode a statement that was compiled may end with a warning or an error (SQL0217W), which is returned only if
// there is no plan.
func (p *planner) explain(ctx context.Context, text string) (plan []operator, err error) {
	before, err := p.newest(ctx)
	if err != nil {
		return nil, err
	}
	ran := p.run(ctx, text)
	after, err := p.newest(ctx)
	if err != nil {
		return nil, err
	}
	if after == before {
		return nil, ran
	}
	query := strings.ReplaceAll(operators, "$explain", p.schema)
	err = eachRow(ctx, p.tables, query, []any{after.String}, func(rows *sql.Rows) error {
		var o operator
		err := rows.Scan(&o.id, &o.kind, &o.object, &o.cost)
		o.kind, o.object = strings.TrimSpace(o.kind), strings.TrimSpace(o.object)
		plan = append(plan, o)
		return err
	})
	return plan, err
}

// run runs a statement in a transaction, whose commit makes its plan visible.
func (p *planner) run(ctx context.Context, text string) error {
	tx, err := p.explained.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if strings.HasPrefix(text, "SELECT") {
		err = eachRow(ctx, tx, text, arguments(text), func(*sql.Rows) error { return nil })
	} else {
		_, err = tx.ExecContext(ctx, text, arguments(text)...)
	}
	return errors.Join(err, tx.Commit())
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

// literally returns a statement with literals for its parameters, of the same types.
func literally(text string) string { return strings.ReplaceAll(text, "CAST(? AS", "CAST('1' AS") }
