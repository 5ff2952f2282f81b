package rewrite

import (
	"slices"
	"strings"

	"brokerage/internal/store/db2/db2test/xquery"
)

// argument is a value that is passed to a query as a variable.
type argument struct {
	name  string
	kind  string // as in java/Queries.java: doc, or an atomic type
	value string // in SQL for Derby
	kept  string // the place of a kept value, used instead of value: see key

	class         class
	marker        bool   // the value has a parameter marker
	table, column string // of the column, if the value is one
	qualifier     string // of the column, with its dot, if there is one
}

// class is the way in which values compare, which decides whether an index
// serves them.
type class int

const (
	unknown class = iota
	character
	double
	exact
)

// classOf returns the class of an SQL type.
func classOf(sqlType string) class {
	word, _, _ := strings.Cut(strings.ToUpper(sqlType), "(")
	switch strings.TrimSpace(word) {
	case "CHAR", "VARCHAR", "CLOB", "VARCHAR HASHED":
		return character
	case "DOUBLE":
		return double
	case "DECIMAL", "INTEGER", "BIGINT":
		return exact
	}
	return unknown
}

// kinds map SQL types to those that a query sees: "Data type conversion … XMLQUERY".
var kinds = map[string]string{
	"XML": "doc", "CHAR": "xs:string", "VARCHAR": "xs:string", "CLOB": "xs:string", "INTEGER": "xs:integer",
	"BIGINT": "xs:integer", "DECIMAL": "xs:decimal", "DOUBLE": "xs:double",
}

// passing reads the inside of XMLQUERY and XMLEXISTS: the query, checked, and what is passed to it.
func (s *statement) passing(in []token) (q *xquery.Query, args []argument) {
	if len(in) == 0 || in[0].kind != 's' {
		refuse("a query that is no string")
	}
	q, err := xquery.Parse(in[0].value())
	if err != nil {
		refuse("%v", err)
	}
	if !starts(in[1:], "PASSING") {
		refuse("a query without PASSING: %s", text(in))
	}
	for _, part := range list(in[2:]) {
		e, as, ok := cut(part, "AS")
		if !ok || len(as) != 1 || as[0].kind != 'q' {
			refuse("PASSING %s: a name in quotes is missing", text(part))
		}
		a := s.argument(e)
		a.name = as[0].name()
		args = append(args, a)
	}
	return q, args
}

// argument rewrites an expression that is passed, and returns what a query sees of it.
func (s *statement) argument(e []token) argument {
	a := argument{value: s.all(e), marker: slices.ContainsFunc(e, func(t token) bool { return t.kind == '?' })}
	sqlType := ""
	switch {
	case starts(e, "XMLPARSE"):
		sqlType = "XML"
	case starts(e, "CAST"):
		in, _ := inside(e[1:])
		_, as, _ := cut(in, "AS")
		sqlType = text(as)
	case len(e) == 1, len(e) == 3 && e[1].kind == '.':
		s.column(&a, e)
		sqlType = s.tables[a.table][a.column]
	}
	word, _, _ := strings.Cut(strings.ToUpper(sqlType), "(")
	a.kind, a.class = kinds[word], classOf(sqlType)
	switch {
	case a.kind == "":
		refuse("PASSING %s, whose type is not known", text(e))
	case a.class == double:
		a.value = "BENCH.DOUBLE_TEXT(" + a.value + ")"
	case a.class == exact:
		a.value = "RTRIM(CHAR(" + a.value + "))"
	}
	return a
}

// column finds the table of a column.
func (s *statement) column(a *argument, e []token) {
	a.column = e[len(e)-1].name()
	if len(e) == 3 {
		a.qualifier = e[0].text + "."
		a.table = s.aliases[e[0].name()]
		return
	}
	for _, name := range s.aliases {
		if _, ok := s.tables[name][a.column]; ok {
			if a.table != "" && a.table != name {
				refuse("the column %s of two tables", a.column)
			}
			a.table = name
		}
	}
}
