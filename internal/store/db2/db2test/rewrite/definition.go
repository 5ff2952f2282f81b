package rewrite

import (
	"slices"
	"strings"

	"brokerage/internal/store/db2/db2test/xquery"
)

// documents is the type of an XML column on the bench.
const documents = "CLOB(16M)"

// rowID returns the column by which tables of keys identify a row of a table.
func rowID(table string) string { return "ROW_OF_" + table }

// definition rewrites statements that create, alter and drop.
func (c *Catalogue) definition(tokens []token) string {
	switch {
	case starts(tokens, "CREATE", "TABLE"):
		return c.createTable(tokens[2:])
	case starts(tokens, "CREATE", "INDEX"):
		return c.createIndex(tokens[2:], false)
	case starts(tokens, "CREATE", "UNIQUE", "INDEX"):
		return c.createIndex(tokens[3:], true)
	case starts(tokens, "DROP", "INDEX"):
		name := tokens[len(tokens)-1].name()
		if _, ok := c.indexes[name]; ok {
			delete(c.indexes, name)
			return "CALL BENCH.DROP_XML_INDEX(" + quoted(name) + ")"
		}
		return text(tokens)
	case starts(tokens, "DROP", "TABLE"):
		name := tokens[len(tokens)-1].name()
		for _, i := range c.indexes {
			if i.table == name {
				refuse("DROP TABLE %s before its index %s", name, i.name)
			}
		}
		delete(c.tables, name)
		return text(tokens)
	case starts(tokens, "DROP", "XSROBJECT"):
		return "DELETE FROM BENCH.XSROBJECTS WHERE OBJECTNAME = " + quoted(tokens[len(tokens)-1].name())
	case starts(tokens, "CREATE", "SCHEMA"):
		return text(tokens)
	case starts(tokens, "ALTER", "TABLE") && starts(tokens[len(tokens)-2:], "VOLATILE", "CARDINALITY"),
		starts(tokens[1:], "BUFFERPOOL"), starts(tokens[1:], "TABLESPACE"), starts(tokens[1:], "LARGE", "TABLESPACE"),
		starts(tokens[1:], "SYSTEM", "TEMPORARY", "TABLESPACE"):
		return nothing(tokens)
	}
	refuse("the statement %s", text(tokens[:min(3, len(tokens))]))
	return ""
}

// createTable converts XML columns, numbers the rows if the first column is XML,
// and removes the clauses on storage.
func (c *Catalogue) createTable(tokens []token) string {
	name, rest := tableName(tokens)
	columns, taken := inside(rest)
	if storage := rest[taken:]; len(storage) > 0 && !storage[0].is("COMPRESS", "ORGANIZE") {
		refuse("CREATE TABLE … %s", text(storage))
	}
	types := make(table)
	var parts []string
	for _, column := range list(columns) {
		kept := withoutInline(column)
		types[column[0].name()] = strings.ToUpper(kept[1].text)
		if kept[1].is("XML") {
			doc := column[0].text
			parts = append(parts, doc+" "+documents+" "+text(kept[2:])+" CHECK (BENCH.IS_DOCUMENT("+doc+") = 1)")
			if len(types) == 1 {
				parts = append([]string{rowID(name) + " BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE"}, parts...)
			}
			continue
		}
		parts = append(parts, text(kept))
	}
	c.tables[name] = types
	return "CREATE TABLE " + text(tokens[:len(tokens)-len(rest)]) + " (" + strings.Join(parts, ", ") + ")"
}

// withoutInline removes INLINE LENGTH n.
func withoutInline(column []token) []token {
	for i := range column {
		if starts(column[i:], "INLINE", "LENGTH") && i+2 < len(column) {
			return slices.Concat(column[:i], column[i+3:])
		}
	}
	return column
}

// tableName reads a name with or without a schema.
func tableName(tokens []token) (name string, rest []token) {
	name, rest = tokens[0].name(), tokens[1:]
	for len(rest) > 1 && rest[0].kind == '.' {
		name, rest = rest[1].name(), rest[2:]
	}
	return name, rest
}

// createIndex passes on an ordinary index, but never as unique, and creates a table of keys for one over XML: CREATE
// INDEX n ON t (c) GENERATE KEY USING XMLPATTERN 'p' AS SQL type.
func (c *Catalogue) createIndex(tokens []token, unique bool) string {
	head, rest, generated := cut(tokens, "GENERATE")
	if !generated {
		return "CREATE INDEX " + text(tokens)
	}
	on, column, ok := cut(head, "ON")
	if !ok || !starts(rest, "KEY", "USING", "XMLPATTERN") || rest[3].kind != 's' || !starts(rest[4:], "AS", "SQL") {
		refuse("CREATE INDEX %s", text(tokens))
	}
	i := index{unique: unique}
	i.name, _ = tableName(on)
	i.table, column = tableName(column)
	i.column = column[1].name()
	if c.tables[i.table][i.column] != "XML" {
		refuse("an index over XML of %s.%s, which is no XML column", i.table, i.column)
	}
	i.steps = pattern(rest[3].value())
	sqlType := strings.ToUpper(text(rest[6:]))
	i.class = classOf(sqlType)
	derby := sqlType
	if i.hashed = sqlType == "VARCHAR HASHED"; i.hashed {
		derby = "VARCHAR(8000)"
	}
	if i.class != character && i.class != double {
		refuse("an index over XML AS SQL %s", sqlType)
	}
	c.indexes[i.name] = i
	flag := "0"
	if unique {
		flag = "1"
	}
	return "CALL BENCH.CREATE_XML_INDEX(" + strings.Join([]string{
		quoted(i.name), quoted(i.table), quoted(i.column), quoted(strings.Join(i.steps, " ")),
		quoted(strings.TrimSuffix(sqlType, " HASHED")), quoted(derby), flag,
	}, ", ") + ")"
}

// pattern reads an XMLPATTERN: a path without predicates.
func pattern(query string) []string {
	q, err := xquery.Parse(query)
	if err != nil {
		refuse("the XMLPATTERN %s: %v", query, err)
	}
	steps, rest := plainSteps(q.Body.Steps)
	predicate := slices.ContainsFunc(q.Body.Steps, func(s xquery.Step) bool { return len(s.Predicates) > 0 })
	if !q.Body.Rooted || len(rest) > 0 || predicate || slices.Contains(steps, "//") || slices.Contains(steps, "@*") {
		refuse("the XMLPATTERN %s", query)
	}
	return steps
}
