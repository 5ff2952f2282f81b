package rewrite

import "strings"

// call replaces Db2's procedures by the bench's.
func call(tokens []token) (string, error) {
	if len(tokens) > 4 && starts(tokens[1:], "SYSPROC", ".", "ADMIN_CMD") {
		return "CALL BENCH.NOTHING" + text(tokens[4:]), nil
	}
	if len(tokens) > 4 && starts(tokens[1:], "SYSPROC", ".", "SYSINSTALLOBJECTS") {
		return text(tokens), nil // Derby refuses it: it explains nothing
	}
	return "", unsupported("the procedure %s", text(tokens[1:min(4, len(tokens))]))
}

// truncate empties a table. Db2 requires IMMEDIATE for tables that are
// organized by row, and that the statement is the first of its unit of work:
// see drda/unit.go. Derby's own TRUNCATE would not empty the tables of keys.
func truncate(tokens []token) (string, error) {
	if !starts(tokens, "TRUNCATE", "TABLE") || len(tokens) < 4 {
		return "", unsupported("the statement %s", text(tokens))
	}
	name, rest := tableName(tokens[2:])
	if len(rest) != 1 || !rest[0].is("IMMEDIATE") {
		return "", unsupported("TRUNCATE TABLE … %s", text(rest))
	}
	return "DELETE FROM " + name, nil
}

// variables are the variables of a block, by name.
type variables map[string]variable

type variable struct {
	kind  string // its type: VARCHAR, BLOB …
	value string // the literal that it begins with
}

// is reports whether an argument is one of the variables, of a type.
func (v variables) is(arg []token, kind string) bool {
	return len(arg) == 1 && v[arg[0].name()].kind == kind
}

// value returns the literal that an argument is, or that its variable begins
// with.
func (v variables) value(arg []token) string {
	if len(arg) != 1 {
		return ""
	}
	if known, ok := v[arg[0].name()]; ok {
		return known.value
	}
	return arg[0].text
}

// block accepts the compound statement that registers an XML schema, if it is
// as IBM's manual requires: variables where an argument is INOUT, and a BLOB
// for the content. Derby has no such statements.
//
//	BEGIN DECLARE …; SELECT … INTO text FROM …; CALL SYSPROC.XSR_REGISTER(…); CALL SYSPROC.XSR_COMPLETE(…); END
func block(tokens []token) (string, error) {
	other := unsupported("a compound statement that does not register an XML schema as the manual has it: %s", text(tokens))
	if !tokens[len(tokens)-1].is("END") {
		return "", other
	}
	known := make(variables)
	var read, register, complete []token
	for rest := tokens[1 : len(tokens)-1]; len(rest) > 0; {
		var one []token
		one, rest, _ = cut(rest, ";")
		switch {
		case starts(one, "DECLARE") && len(one) > 2 && read == nil:
			head, value, _ := cut(one[1:], "DEFAULT")
			known[head[0].name()] = variable{strings.ToUpper(head[1].text), text(value)}
		case starts(one, "SELECT") && read == nil:
			read = one
		case starts(one, "CALL", "SYSPROC", ".", "XSR_REGISTER") && register == nil && read != nil:
			register = one[4:]
		case starts(one, "CALL", "SYSPROC", ".", "XSR_COMPLETE") && complete == nil && register != nil:
			complete = one[4:]
		default:
			return "", other
		}
	}
	columns, rest, into := cut(read, "INTO")
	if !into || complete == nil || len(rest) < 2 || !starts(rest[1:], "FROM") {
		return "", other
	}
	in, _, err := inside(register)
	if err != nil {
		return "", err
	}
	of, _, err := inside(complete)
	if err != nil {
		return "", err
	}
	first, second := list(in), list(of)
	null := func(arg []token) bool { return len(arg) == 1 && arg[0].is("NULL") }
	if len(first) != 5 || !known.is(first[0], "VARCHAR") || !known.is(first[1], "VARCHAR") ||
		!known.is(first[3], "BLOB") || rest[0].name() != first[3][0].name() || !null(first[4]) ||
		len(second) != 4 || known.value(second[0]) != known.value(first[0]) || known.value(second[1]) != known.value(first[1]) || !null(second[2]) {
		return "", other
	}
	return "CALL BENCH.XSR_REGISTER(" + strings.Join([]string{
		known.value(first[0]), known.value(first[1]), known.value(first[2]), quoted(text(columns) + " " + text(rest[1:])), known.value(second[3]),
	}, ", ") + ")", nil
}
