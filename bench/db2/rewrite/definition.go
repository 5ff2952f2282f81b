package rewrite

import (
	"regexp"
	"strings"

	"brokerage/bench/db2/xquery"
)

// documents is the type of an XML column on the bench.
const documents = "CLOB(16M)"

// rowID is the column by which tables of keys know a row of a table.
func rowID(table string) string { return "ROW_OF_" + table }

// create rewrites a statement that creates.
func (c *Catalogue) create(tokens []token) string {
	switch what := tokens[1:]; {
	case starts(what, "TABLE"):
		return c.createTable(what[1:])
	case starts(what, "INDEX"), starts(what, "UNIQUE", "INDEX"):
		return c.createIndex(tokens)
	case starts(what, "BUFFERPOOL"), starts(what, "TABLESPACE"), starts(what, "LARGE", "TABLESPACE"):
		return nothing(tokens)
	}
	refuse("the statement %s", text(tokens))
	return ""
}

// createTable makes documents of XML columns, gives each row a number, and leaves out where and how Db2 stores it.
func (c *Catalogue) createTable(tokens []token) string {
	name := tokens[0].name()
	columns, storage := inside(tokens[1:])
	if len(storage) > 0 && !storage[0].is("COMPRESS") {
		refuse("CREATE TABLE … %s", text(storage))
	}
	types := make(table)
	var parts []string
	for _, column := range list(columns) {
		types[column[0].name()] = strings.ToUpper(column[1].text)
		if !column[1].is("XML") {
			parts = append(parts, text(column))
			continue
		}
		constraint, _, _ := cut(column[2:], "INLINE")
		parts = append([]string{rowID(name) + " BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE"}, parts...)
		parts = append(parts, column[0].text+" "+documents+" "+text(constraint))
	}
	c.tables[name] = types
	return "CREATE TABLE " + tokens[0].text + " (" + strings.Join(parts, ", ") + ")"
}

// createIndex has a table of keys made for an index over XML, and passes an ordinary index:
//
//	CREATE INDEX n ON t (c) GENERATE KEY USING XMLPATTERN 'p' AS SQL type
//
// An index of DOUBLE means nothing here: it serves ranges, and refuses nothing.
func (c *Catalogue) createIndex(tokens []token) string {
	head, rest, generated := cut(tokens, "GENERATE")
	if !generated {
		return text(tokens)
	}
	on, column, _ := cut(head, "ON")
	if len(column) != 4 || len(rest) < 7 || !starts(rest, "KEY", "USING", "XMLPATTERN") || !starts(rest[4:], "AS", "SQL") {
		refuse("the statement %s", text(tokens))
	}
	i := index{
		name: on[len(on)-1].name(), table: column[0].name(), column: column[2].name(),
		steps: pattern(rest[3].value()), unique: starts(on, "CREATE", "UNIQUE"),
	}
	if c.tables[i.table][i.column] != "XML" {
		refuse("an index over XML of %s.%s, which is no XML column", i.table, i.column)
	}
	most, keyType := "0", strings.ToUpper(text(rest[6:]))
	switch {
	case keyType == "DOUBLE":
		return nothing(tokens)
	case keyType == "VARCHAR HASHED":
		keyType = "VARCHAR(8000)"
	case starts(rest[6:], "VARCHAR", "(") && len(rest) == 10:
		most = rest[8].text
	default:
		refuse("an index over XML AS SQL %s", keyType)
	}
	c.indexes[i.name] = i
	unique := "0"
	if i.unique {
		unique = "1"
	}
	return "CALL BENCH.CREATE_XML_INDEX(" + strings.Join([]string{
		quoted(i.name), quoted(i.table), quoted(i.column), quoted(strings.Join(i.steps, " ")), quoted(keyType), most, unique,
	}, ", ") + ")"
}

// pattern reads an XMLPATTERN: a path without predicates.
func pattern(query string) (steps []string) {
	q, err := xquery.Parse(query)
	if err != nil || q.Body.Kind != xquery.Path || !q.Body.Rooted {
		refuse("the XMLPATTERN %s: %v", query, err)
	}
	for _, s := range q.Body.Steps {
		if s.Expr != nil || len(s.Predicates) > 0 {
			refuse("an expression or a predicate in the XMLPATTERN %s", query)
		}
		steps = append(steps, s.Name)
	}
	return steps
}

// registration is the block that registers an XML schema, as IBM's manual describes the procedures: variables where an
// argument is INOUT, and a BLOB for the content.
var registration = regexp.MustCompile(`^BEGIN DECLARE (\w+) VARCHAR\(\d+\) DEFAULT ('\w+'); ` +
	`DECLARE (\w+) VARCHAR\(\d+\) DEFAULT ('\w+'); DECLARE (\w+) BLOB\(\w+\); (SELECT \w+) INTO (\w+) (FROM [^;]+); ` +
	`CALL SYSPROC\.XSR_REGISTER\((\w+), (\w+), ('[\w.]+'), (\w+), NULL\); ` +
	`CALL SYSPROC\.XSR_COMPLETE\((\w+), (\w+), NULL, (0)\); END$`)

// register rewrites the block that registers an XML schema. Derby has no such statements.
func register(block string) string {
	m := registration.FindStringSubmatch(block)
	if len(m) == 0 || m[9] != m[1] || m[13] != m[1] || m[10] != m[3] || m[14] != m[3] || m[7] != m[5] || m[12] != m[5] {
		refuse("a compound statement that does not register an XML schema as the manual describes it: %s", block)
	}
	return "CALL BENCH.XSR_REGISTER(" + strings.Join([]string{m[2], m[4], m[11], quoted(m[6] + " " + m[8])}, ", ") + ")"
}
