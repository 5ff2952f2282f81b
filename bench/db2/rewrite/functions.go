package rewrite

import (
	"strconv"
	"strings"

	"brokerage/bench/db2/xquery"
)

// manipulation rewrites queries, and statements that insert, update and delete.
func (s *statement) manipulation(tokens []token) string {
	if len(tokens) == 0 || !tokens[0].is("SELECT", "INSERT", "UPDATE", "DELETE", "VALUES", "LOCK") {
		refuse("the statement %s", text(tokens))
	}
	if before, after, found := cut(tokens, "USE"); found && starts(after, "AND", "KEEP", "UPDATE", "LOCKS") {
		s.locks, tokens = true, before
	}
	out := s.all(views(tokens))
	if s.locks && !s.locked {
		refuse("USE AND KEEP … LOCKS of rows that no unique index over XML finds")
	}
	return out
}

// administrative are table functions of Db2, with the bench's tables for them.
var administrative = map[string]string{"ADMIN_GET_TAB_INFO": "ADMIN_TAB_INFO", "MON_GET_BUFFERPOOL": "BUFFERPOOL"}

// views replaces Db2's administrative views by the bench's tables.
func views(tokens []token) (out []token) {
	for len(tokens) > 0 {
		next := tokens[0]
		switch {
		case next.is("SYSIBMADM", "SYSCAT"):
			next = token{'w', "BENCH", next.gap}
		case starts(tokens, "TABLE", "(", "SYSPROC", ".") && administrative[tokens[4].name()] != "":
			next = token{'w', "BENCH." + administrative[tokens[4].name()], next.gap}
			_, after := inside(tokens[1:])
			tokens = tokens[len(tokens)-len(after)-1:]
		}
		out, tokens = append(out, next), tokens[1:]
	}
	return out
}

// all rewrites tokens of any kind.
func (s *statement) all(tokens []token) string {
	var b strings.Builder
	for begun := false; len(tokens) > 0; begun = true {
		t := tokens[0]
		if begun && t.gap {
			b.WriteByte(' ')
		}
		tokens = tokens[1:]
		if t.kind == 'w' && len(tokens) > 0 && tokens[0].kind == '(' {
			content, rest := inside(tokens)
			if call := s.function(t.name(), content); call != "" {
				b.WriteString(call)
				tokens = rest
				continue
			}
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// function rewrites the functions of SQL/XML, and others that Derby lacks; empty for any other.
func (s *statement) function(name string, in []token) string {
	switch name {
	case "XMLQUERY":
		return s.query("XQ", in)
	case "XMLEXISTS":
		return s.exists(in)
	case "XMLCAST":
		return s.xmlCast(in)
	case "XMLSERIALIZE":
		return s.serialize(in)
	case "XMLPARSE":
		return s.parse(in)
	case "XMLVALIDATE":
		return s.validate(in)
	case "CAST":
		value, as := typed(in)
		return "CAST(" + s.all(value) + " AS " + text(as) + ")"
	case "BLOB":
		return "BENCH.BYTES(" + s.all(in) + ")"
	case "OCTET_LENGTH":
		return "BENCH.OCTETS(" + s.all(in) + ")"
	}
	if strings.HasPrefix(name, "XML") {
		refuse("the function %s", name)
	}
	return ""
}

// xmlCast returns the one value of a query.
func (s *statement) xmlCast(in []token) string {
	value, as := typed(in)
	if !starts(value, "XMLQUERY", "(") {
		refuse("XMLCAST(%s)", text(in))
	}
	content, _ := inside(value[1:])
	return "CAST(" + s.query("XQ_ATOM", content) + " AS " + text(as) + ")"
}

// serialize refuses what is too long, as Db2 does (SQLSTATE 22001).
func (s *statement) serialize(in []token) string {
	value, as := typed(in)
	as, options, _ := cut(as, "EXCLUDING")
	if !as[0].is("CLOB", "VARCHAR") || len(options) != 1 {
		refuse("XMLSERIALIZE(%s)", text(in))
	}
	return "CAST(BENCH.XML_SERIALIZE(" + s.all(value) + ", " + strconv.Itoa(sizeOf(as[1:])) + ") AS " + text(as) + ")"
}

// sizeOf reads the length of a type, such as (16K).
func sizeOf(tokens []token) int {
	in, _ := inside(tokens)
	factor := 1
	if len(in) == 2 {
		factor = map[string]int{"K": 1 << 10, "M": 1 << 20}[in[1].name()]
	}
	n, err := strconv.Atoi(in[0].text)
	if err != nil || factor == 0 {
		refuse("the length %s", text(tokens))
	}
	return n * factor
}

func (s *statement) parse(in []token) string {
	value, after, _ := cut(in, "PRESERVE")
	if !starts(value, "DOCUMENT") || !starts(after, "WHITESPACE") {
		refuse("XMLPARSE(%s): DOCUMENT … PRESERVE WHITESPACE is wanted", text(in))
	}
	return "BENCH.XML_PARSE(" + s.all(value[1:]) + ")"
}

func (s *statement) validate(in []token) string {
	value, according, _ := cut(in, "ACCORDING")
	if len(according) != 4 || !starts(according, "TO", "XMLSCHEMA", "ID") {
		refuse("XMLVALIDATE without ACCORDING TO XMLSCHEMA ID")
	}
	return "BENCH.XML_VALIDATE(" + quoted(according[3].name()) + ", " + s.all(value) + ")"
}

// query rewrites XMLQUERY, for one of the bench's functions.
func (s *statement) query(function string, in []token) string {
	q, args := s.passing(in)
	return evaluation(function, q, args)
}

// evaluation returns the call of one of the bench's functions.
func evaluation(function string, q *xquery.Query, args []argument) string {
	specs := make([]string, len(args))
	var values strings.Builder
	for i, a := range args {
		specs[i] = a.name + ":" + a.kind
		if a.kept != "" {
			specs[i] += "@" + a.kept
		} else {
			values.WriteString(", " + a.value)
		}
	}
	spec := strings.Join(specs, " ")
	return "BENCH." + function + "(" + quoted(q.Standard()) + ", " + quoted(spec) + values.String() + ")"
}
