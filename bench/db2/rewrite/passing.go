package rewrite

import (
	"slices"

	"brokerage/bench/db2/xquery"
)

// An argument is what is passed to a query as a variable.
type argument struct {
	name  string
	kind  string // as java/Queries.java has it: doc or an atomic type
	value string // in SQL for Derby
	kept  string // where the value is instead, see exists

	marker        bool   // the value has a parameter marker
	table, column string // of an XML column
	qualifier     string // of the column, with its point, if there is one
}

// passing reads the inside of XMLQUERY and XMLEXISTS: the query, checked, and what is passed to it.
func (s *statement) passing(in []token) (q *xquery.Query, args []argument) {
	if len(in) < 2 || in[0].kind != 's' || !in[1].is("PASSING") {
		refuse("a query that is no string, or without PASSING: %s", text(in))
	}
	q, err := xquery.Parse(in[0].value())
	if err != nil {
		refuse("%v", err)
	}
	for _, part := range list(in[2:]) {
		value, as := typed(part)
		if len(as) != 1 || as[0].kind != 'q' {
			refuse("PASSING %s: a name in quotes is missing", text(part))
		}
		a := s.argument(value)
		a.name = as[0].name()
		args = append(args, a)
	}
	return q, args
}

// argument rewrites an expression that is passed: a parameter of some type, an XML column, or a document.
func (s *statement) argument(e []token) (a argument) {
	a.value = s.all(e)
	a.marker = slices.ContainsFunc(e, func(t token) bool { return t.kind == '?' })
	switch {
	case e[0].is("XMLPARSE", "XMLVALIDATE"):
		a.kind = "doc"
		return a
	case starts(e, "CAST"):
		in, _ := inside(e[1:])
		_, as := typed(in)
		switch as[0].name() {
		case "VARCHAR":
			a.kind = "xs:string"
			return a
		case "DOUBLE":
			a.kind, a.value = "xs:double", "BENCH.DOUBLE_TEXT("+a.value+")"
			return a
		case "INTEGER":
			a.kind, a.value = "xs:integer", "RTRIM(CHAR("+a.value+"))"
			return a
		}
	case len(e) == 1, len(e) == 3 && e[1].kind == '.':
		if s.column(&a, e) {
			a.kind = "doc"
			return a
		}
	}
	refuse("PASSING %s, whose type is not known", text(e))
	return a
}

// column finds the table of an XML column, and reports whether there is one.
func (s *statement) column(a *argument, e []token) bool {
	a.column = e[len(e)-1].name()
	if len(e) == 3 {
		a.qualifier, a.table = e[0].text+".", s.aliases[e[0].name()]
		return s.tables[a.table][a.column] == "XML"
	}
	for _, name := range s.aliases {
		if s.tables[name][a.column] == "XML" {
			a.table = name
			return true
		}
	}
	return false
}
