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

// definition rewrites statements that create and drop.
func (c *Catalogue) definition(tokens []token) (string, error) {
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
			return "CALL BENCH.DROP_XML_INDEX(" + quoted(name) + ")", nil
		}
		return text(tokens), nil
	case starts(tokens, "DROP", "TABLE"):
		name := tokens[len(tokens)-1].name()
		for _, i := range c.indexes {
			if i.table == name {
				return "", unsupported("DROP TABLE %s before its index %s", name, i.name)
			}
		}
		delete(c.tables, name)
		return text(tokens), nil
	case starts(tokens, "DROP", "XSROBJECT"):
		return "DELETE FROM BENCH.XSROBJECTS WHERE OBJECTNAME = " + quoted(tokens[len(tokens)-1].name()), nil
	case starts(tokens, "CREATE", "SCHEMA"), starts(tokens, "DROP", "SCHEMA"), starts(tokens, "CREATE", "SEQUENCE"):
		return text(tokens), nil
	case starts(tokens, "ALTER", "TABLE") && starts(tokens[len(tokens)-2:], "VOLATILE", "CARDINALITY"):
		return nothing(tokens), nil
	}
	for _, storage := range []string{"BUFFERPOOL", "TABLESPACE"} {
		if starts(tokens[1:], storage) || starts(tokens[1:], "LARGE", storage) || starts(tokens[1:], "REGULAR", storage) {
			return nothing(tokens), nil
		}
	}
	return "", unsupported("the statement %s", text(tokens[:min(3, len(tokens))]))
}

// createTable converts XML columns, numbers the rows, and removes the clauses
// on storage.
func (c *Catalogue) createTable(tokens []token) (string, error) {
	name, rest := tableName(tokens)
	columns, taken, err := inside(rest)
	if err != nil {
		return "", err
	}
	if storage := rest[taken:]; len(storage) > 0 && !storage[0].is("COMPRESS", "ORGANIZE", "IN", "INDEX", "LONG", "VALUE") {
		return "", unsupported("CREATE TABLE … %s", text(storage))
	}
	types := make(table)
	var parts []string
	for _, column := range list(columns) {
		if column[0].is("PRIMARY", "CONSTRAINT", "UNIQUE", "CHECK", "FOREIGN") {
			parts = append(parts, text(column))
			continue
		}
		kept := withoutInline(column)
		types[column[0].name()] = strings.ToUpper(kept[1].text)
		if kept[1].is("XML") {
			parts = append(parts, column[0].text+" "+documents+" "+text(kept[2:])+" CHECK (BENCH.IS_DOCUMENT("+column[0].text+") = 1)")
			if len(types) == 1 {
				parts = append([]string{rowID(name) + " BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE"}, parts...)
			}
			continue
		}
		parts = append(parts, text(kept))
	}
	c.tables[name] = types
	return "CREATE TABLE " + text(tokens[:len(tokens)-len(rest)]) + " (" + strings.Join(parts, ", ") + ")", nil
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

// createIndex passes on an ordinary index, and creates a table of keys for one
// over XML: CREATE INDEX n ON t (c) GENERATE KEY USING XMLPATTERN 'p' AS SQL
// type.
func (c *Catalogue) createIndex(tokens []token, unique bool) (string, error) {
	head, rest, generated := cut(tokens, "GENERATE")
	if !generated {
		word := "INDEX "
		if unique {
			word = "UNIQUE INDEX "
		}
		return "CREATE " + word + text(tokens), nil
	}
	on, column, ok := cut(head, "ON")
	if !ok || !starts(rest, "KEY", "USING", "XMLPATTERN") || len(rest) < 7 || rest[3].kind != 's' || !starts(rest[4:], "AS", "SQL") {
		return "", unsupported("CREATE INDEX %s", text(tokens))
	}
	i := index{unique: unique}
	i.name, _ = tableName(on)
	i.table, column = tableName(column)
	if len(column) != 3 {
		return "", unsupported("an index over XML of %s", text(column))
	}
	i.column = column[1].name()
	if c.tables[i.table][i.column] != "XML" {
		return "", unsupported("an index over XML of %s.%s, which is no XML column", i.table, i.column)
	}
	var err error
	if i.steps, err = pattern(rest[3].value()); err != nil {
		return "", err
	}
	key := rest[6:]
	for _, option := range []string{"IGNORE", "REJECT"} {
		key, _, _ = cut(key, option)
	}
	sqlType := strings.ToUpper(text(key))
	i.class = classOf(sqlType)
	derby := sqlType
	if i.hashed = sqlType == "VARCHAR HASHED"; i.hashed {
		derby = "VARCHAR(8000)"
	}
	if i.class != character && i.class != double {
		return "", unsupported("an index over XML AS SQL %s", sqlType)
	}
	c.indexes[i.name] = i
	flag := "0"
	if unique {
		flag = "1"
	}
	return "CALL BENCH.CREATE_XML_INDEX(" + strings.Join([]string{
		quoted(i.name), quoted(i.table), quoted(i.column), quoted(strings.Join(i.steps, " ")),
		quoted(strings.TrimSuffix(sqlType, " HASHED")), quoted(derby), flag,
	}, ", ") + ")", nil
}

// pattern reads an XMLPATTERN: a path without predicates.
func pattern(query string) ([]string, error) {
	q, err := xquery.Parse(query)
	if err != nil {
		return nil, unsupported("the XMLPATTERN %s: %v", query, err)
	}
	if q.Body.Kind != xquery.Path || !q.Body.Rooted {
		return nil, unsupported("the XMLPATTERN %s", query)
	}
	steps, rest := plainSteps(q.Body.Steps)
	if len(rest) > 0 || slices.Contains(steps, "//") || slices.Contains(steps, "@*") {
		return nil, unsupported("the XMLPATTERN %s", query)
	}
	for _, s := range q.Body.Steps {
		if len(s.Predicates) > 0 {
			return nil, unsupported("a predicate in the XMLPATTERN %s", query)
		}
	}
	return steps, nil
}
