package rewrite

import (
	"strconv"
	"strings"

	"brokerage/internal/store/db2/db2test/xquery"
)

// manipulation rewrites queries, and statements that insert, update and delete.
func (s *statement) manipulation(tokens []token) string {
	// IBM's client itself queries the parameters of a procedure, by a statement with WITH, and continues after an error.
	if len(tokens) == 0 || !tokens[0].is("SELECT", "INSERT", "UPDATE", "DELETE", "VALUES", "LOCK", "WITH") {
		refuse("the statement %s", text(tokens))
	}
	for i := range tokens {
		if starts(tokens[i:], "USE", "AND", "KEEP", "UPDATE", "LOCKS") && i > 1 && starts(tokens[i-2:], "WITH") {
			s.locks = true
			tokens = tokens[:i]
			break
		}
	}
	out := s.all(views(tokens))
	if s.locks && !s.locked {
		refuse("USE AND KEEP … LOCKS of rows that no unique index over XML finds")
	}
	return out
}

// administrative maps table functions of Db2 to the bench's tables.
var administrative = map[string]string{"ADMIN_GET_TAB_INFO": "ADMIN_TAB_INFO", "MON_GET_BUFFERPOOL": "BUFFERPOOL"}

// views replaces Db2's administrative views and table functions by the bench's tables.
func views(tokens []token) []token {
	var out []token
	for i := 0; i < len(tokens); i++ {
		switch {
		case starts(tokens[i:], "SYSIBMADM", "."), starts(tokens[i:], "SYSCAT", "."):
			out = append(out, token{'w', "BENCH", tokens[i].gap})
		case starts(tokens[i:], "TABLE", "(", "SYSPROC", ".") && administrative[tokens[i+4].name()] != "":
			_, taken := inside(tokens[i+1:])
			out = append(out, token{'w', "BENCH." + administrative[tokens[i+4].name()], tokens[i].gap})
			i += taken
		default:
			out = append(out, tokens[i])
		}
	}
	return out
}

// rewriting returns the rewriter for a function of SQL/XML or another that Derby lacks, nil if Derby has it.
func (s *statement) rewriting(function string) func([]token) string {
	wrapped := func(name string) func([]token) string {
		return func(in []token) string { return name + "(" + s.all(in) + ")" }
	}
	switch function {
	case "XMLQUERY":
		return func(in []token) string { return s.query("XQ", in) }
	case "XMLEXISTS":
		return s.exists
	case "XMLCAST":
		return s.xmlCast
	case "XMLSERIALIZE":
		return s.serialize
	case "XMLPARSE":
		return s.parse
	case "XMLVALIDATE":
		return s.validate
	case "COUNT_BIG":
		return wrapped("COUNT")
	case "BLOB":
		return wrapped("BENCH.BYTES")
	case "OCTET_LENGTH":
		return wrapped("BENCH.OCTETS")
	}
	if strings.HasPrefix(function, "XML") {
		refuse("the function %s", function)
	}
	return nil
}

// all rewrites tokens of any kind.
func (s *statement) all(tokens []token) string {
	var b strings.Builder
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if i > 0 && t.gap {
			b.WriteByte(' ')
		}
		if t.kind == 'w' && i+1 < len(tokens) && tokens[i+1].kind == '(' {
			if rewriting := s.rewriting(strings.ToUpper(t.text)); rewriting != nil {
				content, taken := inside(tokens[i+1:])
				b.WriteString(rewriting(content))
				i += taken
				continue
			}
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// xmlCast rewrites XMLCAST, which returns the one value of a query.
func (s *statement) xmlCast(in []token) string {
	e, as, ok := cut(in, "AS")
	if !ok || !starts(e, "XMLQUERY", "(") || starts(as, "DOUBLE") { // Derby casts no text to it
		refuse("XMLCAST(%s)", text(in))
	}
	content, _ := inside(e[1:])
	return "CAST(" + s.query("XQ_ATOM", content) + " AS " + text(as) + ")"
}

// serialize rewrites XMLSERIALIZE, which refuses a document that is too long, as on Db2 (SQLSTATE 22001).
func (s *statement) serialize(in []token) string {
	e, as, ok := cut(in, "AS")
	as, _, excluding := cut(as, "EXCLUDING")
	if !ok || !excluding || !as[0].is("CLOB", "VARCHAR") {
		refuse("XMLSERIALIZE(%s)", text(in))
	}
	most := strconv.FormatInt(sizeOf(as[1:]), 10)
	return "CAST(BENCH.XML_SERIALIZE(" + s.all(e) + ", " + most + ") AS " + text(as) + ")"
}

// sizeOf reads the length of a type, such as (16K).
func sizeOf(tokens []token) int64 {
	in, _ := inside(tokens)
	number := text(in)
	factor := int64(1)
	for unit, of := range map[string]int64{"K": 1 << 10, "M": 1 << 20} {
		if digits, ok := strings.CutSuffix(number, unit); ok {
			number, factor = digits, of
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		refuse("the length %s", text(tokens))
	}
	return n * factor
}

// parse rewrites XMLPARSE. It requires PRESERVE WHITESPACE; Db2's default is to strip white space.
func (s *statement) parse(in []token) string {
	e, _, preserve := cut(in, "PRESERVE")
	if !starts(e, "DOCUMENT") || !preserve {
		refuse("XMLPARSE(%s)", text(in))
	}
	return "BENCH.XML_PARSE(" + s.all(e[1:]) + ")"
}

func (s *statement) validate(in []token) string {
	e, according, ok := cut(in, "ACCORDING")
	if !ok || !starts(according, "TO", "XMLSCHEMA", "ID") {
		refuse("XMLVALIDATE without ACCORDING TO XMLSCHEMA ID")
	}
	name, rest := tableName(according[3:])
	if len(rest) > 0 {
		refuse("XMLVALIDATE … %s", text(rest))
	}
	return "BENCH.XML_VALIDATE(" + quoted(name) + ", " + s.all(e) + ")"
}

// query rewrites XMLQUERY and other functions that evaluate a query.
func (s *statement) query(function string, in []token) string {
	q, args := s.passing(in)
	return s.evaluation(function, q, args)
}

// evaluation returns the call of one of the bench's functions.
func (s *statement) evaluation(function string, q *xquery.Query, args []argument) string {
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
	spec := quoted(strings.Join(specs, " "))
	return "BENCH." + function + "(" + quoted(q.Standard()) + ", " + spec + values.String() + ")"
}
