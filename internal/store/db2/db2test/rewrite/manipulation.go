package rewrite

import (
	"strconv"
	"strings"

	"brokerage/internal/store/db2/db2test/xquery"
)

// manipulation rewrites queries, and statements that insert, update and delete.
func (s *statement) manipulation(tokens []token) (string, error) {
	if !tokens[0].is("SELECT", "INSERT", "UPDATE", "DELETE", "VALUES", "LOCK", "WITH") {
		return "", unsupported("the statement %s", tokens[0].text)
	}
	if starts(tokens, "INSERT", "INTO") {
		if name, rest := tableName(tokens[2:]); len(rest) > 0 && rest[0].kind != '(' && s.tables[name] != nil {
			return "", unsupported("INSERT without a list of columns")
		}
	}
	for i := range tokens {
		if starts(tokens[i:], "USE", "AND", "KEEP") && i > 1 && starts(tokens[i-2:], "WITH") && starts(tokens[i+4:], "LOCKS") {
			s.locks = true
			tokens = tokens[:i]
			break
		}
	}
	out, err := s.all(views(tokens))
	if err == nil && s.locks && !s.locked {
		err = unsupported("USE AND KEEP … LOCKS of rows that no unique index over XML finds")
	}
	return out, err
}

// administrative maps table functions of Db2 to the bench's tables.
var administrative = map[string]string{"ADMIN_GET_TAB_INFO": "ADMIN_TAB_INFO", "MON_GET_BUFFERPOOL": "BUFFERPOOL"}

// views replaces Db2's administrative views by the bench's tables.
func views(tokens []token) []token {
	var out []token
	for i := 0; i < len(tokens); i++ {
		switch {
		case starts(tokens[i:], "SYSIBMADM", "."), starts(tokens[i:], "SYSCAT", "."):
			out = append(out, token{'w', "BENCH", tokens[i].gap})
		case starts(tokens[i:], "TABLE", "(", "SYSPROC", ".") && administrative[tokens[i+4].name()] != "":
			if _, taken, err := inside(tokens[i+1:]); err == nil {
				out = append(out, token{'w', "BENCH." + administrative[tokens[i+4].name()], tokens[i].gap})
				i += taken
			}
		default:
			out = append(out, tokens[i])
		}
	}
	return out
}

// rewritings are the rewriters for functions of SQL/XML, and others that Derby
// lacks.
var rewritings map[string]func(*statement, []token) (string, error)

func init() {
	rewritings = map[string]func(*statement, []token) (string, error){
		"XMLQUERY":     func(s *statement, in []token) (string, error) { return s.query("XQ", in) },
		"XMLEXISTS":    (*statement).exists,
		"XMLCAST":      (*statement).xmlCast,
		"XMLSERIALIZE": (*statement).serialize,
		"XMLPARSE":     (*statement).parse,
		"XMLVALIDATE":  (*statement).validate,
		"XMLDOCUMENT":  (*statement).all,
		"CAST":         (*statement).cast,
		"COUNT_BIG": func(s *statement, in []token) (string, error) {
			inner, err := s.all(in)
			return "COUNT(" + inner + ")", err
		},
		"BLOB": func(s *statement, in []token) (string, error) {
			inner, err := s.all(in)
			return "BENCH.BYTES(" + inner + ")", err
		},
		"OCTET_LENGTH": func(s *statement, in []token) (string, error) {
			inner, err := s.all(in)
			return "BENCH.OCTETS(" + inner + ")", err
		},
	}
}

// all rewrites tokens of any kind.
func (s *statement) all(tokens []token) (string, error) {
	var b strings.Builder
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if i > 0 && t.gap {
			b.WriteByte(' ')
		}
		if t.kind != 'w' || i+1 == len(tokens) || tokens[i+1].kind != '(' {
			b.WriteString(t.text)
			continue
		}
		name := strings.ToUpper(t.text)
		if i > 0 && tokens[i].is("TABLE") && tokens[i-1].is("FINAL", "NEW", "OLD") {
			return "", unsupported("%s TABLE", strings.ToUpper(tokens[i-1].text))
		}
		rewriting, ok := rewritings[name]
		if !ok {
			if strings.HasPrefix(name, "XML") {
				return "", unsupported("the function %s", name)
			}
			b.WriteString(t.text)
			continue
		}
		content, taken, err := inside(tokens[i+1:])
		if err != nil {
			return "", err
		}
		out, err := rewriting(s, content)
		if err != nil {
			return "", err
		}
		b.WriteString(out)
		i += taken
	}
	return b.String(), nil
}

// cast replaces the type XML by its type on the bench.
func (s *statement) cast(in []token) (string, error) {
	e, as, ok := cut(in, "AS")
	if !ok {
		return "", unsupported("CAST(%s)", text(in))
	}
	inner, err := s.all(e)
	if starts(as, "XML") {
		return "CAST(" + inner + " AS " + documents + ")", err
	}
	return "CAST(" + inner + " AS " + text(as) + ")", err
}

// xmlCast returns the one value of a query.
func (s *statement) xmlCast(in []token) (string, error) {
	e, as, ok := cut(in, "AS")
	if !ok || !starts(e, "XMLQUERY", "(") {
		return "", unsupported("XMLCAST of anything but XMLQUERY")
	}
	content, taken, err := inside(e[1:])
	if err != nil || taken != len(e)-1 {
		return "", unsupported("XMLCAST(%s)", text(in))
	}
	value, err := s.query("XQ_ATOM", content)
	if starts(as, "DOUBLE") {
		return "DOUBLE(" + value + ")", err // Derby casts no text to it
	}
	return "CAST(" + value + " AS " + text(as) + ")", err
}

// serialize refuses a document that is too long, as Db2 does (SQLSTATE 22001).
func (s *statement) serialize(in []token) (string, error) {
	if starts(in, "CONTENT") {
		in = in[1:]
	}
	e, as, ok := cut(in, "AS")
	if !ok {
		return "", unsupported("XMLSERIALIZE(%s)", text(in))
	}
	as, _, _ = cut(as, "EXCLUDING", "VERSION")
	if _, _, including := cut(as, "INCLUDING"); including {
		return "", unsupported("XMLSERIALIZE INCLUDING XMLDECLARATION")
	}
	if !as[0].is("CLOB", "VARCHAR") {
		return "", unsupported("XMLSERIALIZE AS %s", text(as))
	}
	most, err := sizeOf(as[1:])
	if err != nil {
		return "", err
	}
	inner, err := s.all(e)
	return "CAST(BENCH.XML_SERIALIZE(" + inner + ", " + strconv.FormatInt(most, 10) + ") AS " + text(as) + ")", err
}

// sizeOf reads the length of a type, such as (16K).
func sizeOf(tokens []token) (int64, error) {
	in, _, err := inside(tokens)
	if err != nil {
		return 0, err
	}
	number := strings.ToUpper(strings.ReplaceAll(text(in), " ", ""))
	factor := int64(1)
	for unit, of := range map[string]int64{"K": 1 << 10, "M": 1 << 20} {
		if digits, ok := strings.CutSuffix(number, unit); ok {
			number, factor = digits, of
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, unsupported("the length %s", text(tokens))
	}
	return n * factor, nil
}

// parse passes on whether white space is preserved: Db2 strips it by default.
func (s *statement) parse(in []token) (string, error) {
	if !starts(in, "DOCUMENT") {
		return "", unsupported("XMLPARSE without DOCUMENT")
	}
	e, _, preserve := cut(in[1:], "PRESERVE")
	e, _, _ = cut(e, "STRIP")
	inner, err := s.all(e)
	if preserve {
		return "BENCH.XML_PARSE(" + inner + ", 1)", err
	}
	return "BENCH.XML_PARSE(" + inner + ", 0)", err
}

func (s *statement) validate(in []token) (string, error) {
	if starts(in, "DOCUMENT") {
		in = in[1:]
	}
	e, according, ok := cut(in, "ACCORDING")
	if !ok || !starts(according, "TO", "XMLSCHEMA", "ID") || len(according) < 4 {
		return "", unsupported("XMLVALIDATE without ACCORDING TO XMLSCHEMA ID")
	}
	name, rest := tableName(according[3:])
	if len(rest) > 0 {
		return "", unsupported("XMLVALIDATE … %s", text(rest))
	}
	inner, err := s.all(e)
	return "BENCH.XML_VALIDATE(" + quoted(name) + ", " + inner + ")", err
}

// query rewrites XMLQUERY and other functions that evaluate a query.
func (s *statement) query(function string, in []token) (string, error) {
	q, args, err := s.passing(in)
	if err != nil {
		return "", err
	}
	return s.evaluation(function, q, args), nil
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
	return "BENCH." + function + "(" + quoted(q.Standard()) + ", " + quoted(strings.Join(specs, " ")) + values.String() + ")"
}
