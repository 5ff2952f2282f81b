package rewrite

import (
	"slices"
	"strings"

	"brokerage/internal/store/db2/db2test/xquery"
)

// argument is a value that is passed to a query as a variable.
type argument struct {
	name  string
	kind  string // as in java/Queries.java: doc, seq, or an atomic type
	value string // in SQL for Derby
	kept  string // where the value is instead, see exists

	class         class
	marker        bool   // the value has a parameter marker
	table, column string // of an XML column
	qualifier     string // of the column, with its point, if there is one
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
	case "CHAR", "VARCHAR", "CLOB", "VARCHAR HASHED", "CHARACTER":
		return character
	case "DOUBLE":
		return double
	case "DECIMAL", "NUMERIC", "INTEGER", "INT", "BIGINT", "SMALLINT":
		return exact
	}
	return unknown
}

// atomic maps SQL types to those that a query sees: "Data type conversion …
// XMLQUERY".
var atomic = map[string]string{
	"CHAR": "xs:string", "CHARACTER": "xs:string", "VARCHAR": "xs:string", "CLOB": "xs:string", "SMALLINT": "xs:integer", "INTEGER": "xs:integer",
	"INT": "xs:integer", "BIGINT": "xs:integer", "DECIMAL": "xs:decimal", "NUMERIC": "xs:decimal", "DOUBLE": "xs:double",
}

// passing reads the inside of XMLQUERY and XMLEXISTS: the query, checked, and
// what is passed to it.
func (s *statement) passing(in []token) (q *xquery.Query, args []argument, err error) {
	if len(in) == 0 || in[0].kind != 's' {
		return nil, nil, unsupported("a query that is no string")
	}
	if q, err = xquery.Parse(in[0].value()); err != nil {
		return nil, nil, unsupported("%v", err)
	}
	rest := in[1:]
	if len(rest) == 0 {
		return q, nil, nil
	}
	if !rest[0].is("PASSING") {
		return nil, nil, unsupported("%s in XMLQUERY", text(rest))
	}
	rest, _, _ = cut(rest[1:], "RETURNING", "EMPTY")
	for _, part := range list(rest) {
		if starts(part, "BY", "REF") {
			part = part[2:]
		}
		e, as, ok := lastCut(part)
		if !ok || len(as) == 0 || as[0].kind != 'q' {
			return nil, nil, unsupported("PASSING %s: a name in quotes is missing", text(part))
		}
		a, err := s.argument(e)
		if err != nil {
			return nil, nil, err
		}
		a.name = as[0].name()
		args = append(args, a)
	}
	return q, args, nil
}

// lastCut splits at the AS outside of parentheses; a CAST inside them has AS,
// too.
func lastCut(part []token) (e, as []token, ok bool) { return cut(part, "AS") }

// argument rewrites an expression that is passed, and returns what a query sees
// of it.
func (s *statement) argument(e []token) (a argument, err error) {
	if len(e) == 0 {
		return a, unsupported("PASSING nothing")
	}
	if a.value, err = s.all(e); err != nil {
		return a, err
	}
	a.marker = slices.ContainsFunc(e, func(t token) bool { return t.kind == '?' })
	last := e[len(e)-1]
	sqlType := ""
	switch {
	case starts(e, "XMLQUERY"):
		a.kind = "seq"
		return a, nil
	case e[0].is("XMLPARSE", "XMLVALIDATE", "XMLDOCUMENT"):
		a.kind = "doc"
		return a, nil
	case starts(e, "CAST"):
		in, _, err := inside(e[1:])
		if err != nil {
			return a, err
		}
		_, as, _ := cut(in, "AS")
		sqlType = text(as)
	case len(e) == 1 && e[0].kind == 's':
		sqlType = "VARCHAR"
	case len(e) == 1 && e[0].kind == 'n':
		sqlType = "DECIMAL"
	case (last.kind == 'w' || last.kind == 'q') && (len(e) == 1 || len(e) == 3 && e[1].kind == '.'):
		if err := s.column(&a, e); err != nil {
			return a, err
		}
		if a.kind != "" {
			return a, nil
		}
		sqlType = s.tables[a.table][a.column]
	}
	word, _, _ := strings.Cut(strings.ToUpper(sqlType), "(")
	if word == "XML" {
		a.kind = "doc"
		return a, nil
	}
	a.kind, a.class = atomic[strings.TrimSpace(word)], classOf(sqlType)
	switch {
	case a.kind == "":
		return a, unsupported("PASSING %s, whose type is not known", text(e))
	case a.class == double:
		a.value = "BENCH.DOUBLE_TEXT(" + a.value + ")"
	case a.class == exact:
		a.value = "RTRIM(CHAR(" + a.value + "))"
	}
	return a, nil
}

// column finds the table of a column.
func (s *statement) column(a *argument, e []token) error {
	a.column = e[len(e)-1].name()
	if len(e) == 3 {
		a.qualifier = e[0].text + "."
		a.table = s.aliases[e[0].name()]
		for _, columns := range s.tables {
			if a.table == "" && columns[a.column] == "XML" {
				a.kind = "doc" // in a derived table, only the name of the column is known
			}
		}
	} else {
		for _, name := range s.aliases {
			if _, ok := s.tables[name][a.column]; ok {
				if a.table != "" && a.table != name {
					return unsupported("the column %s of two tables", a.column)
				}
				a.table = name
			}
		}
	}
	return nil
}
