package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"brokerage/internal/store/db2/db2test/xquery"
)

// exists rewrites XMLEXISTS. If an index would serve it, the table of keys
// finds the rows. The condition is still evaluated on them, because the index
// is only a necessary condition, and because a row may have changed before
// Derby locked it.
func (s *statement) exists(in []token) (string, error) {
	q, args, err := s.passing(in)
	if err != nil {
		return "", err
	}
	if found := s.join(q, args); found != "" {
		return "CASE WHEN " + found + " THEN " + s.evaluation("XQ_EXISTS", q, args) + " ELSE 0 END = 1", nil
	}
	found, unique := s.key(q, args)
	condition := s.evaluation("XQ_EXISTS", q, args)
	switch {
	case unique:
		return "(" + found + " AND " + condition + " = 1)", nil
	case found != "":
		// CASE, because Derby may evaluate the sides of AND in any order, and the lookup must come first.
		return "CASE WHEN " + found + " THEN " + condition + " ELSE 0 END = 1", nil
	}
	return condition + " = 1", nil
}

// key finds rows by a comparison with a value, empty if no index serves one.
func (s *statement) key(q *xquery.Query, args []argument) (found string, unique bool) {
	if slices.ContainsFunc(args, func(a argument) bool { return a.marker && (a.kind == "doc" || a.kind == "seq") }) {
		return "", false // its marker would not stay in order
	}
	best, at := index{}, -1
	var row string
	for _, c := range comparisons(q.Body) {
		document, value := find(args, c.document), find(args, c.variable)
		if document < 0 || value < 0 || c.other != nil || args[document].table == "" || !args[value].marker {
			continue
		}
		for _, i := range s.indexes {
			better := at < 0 || i.unique && !best.unique || i.unique == best.unique && i.name < best.name
			if better && i.serves(args[document], c.steps) && i.class == args[value].class {
				best, at = i, value
				row = args[document].qualifier + rowID(i.table)
			}
		}
	}
	if at < 0 {
		return "", false
	}
	// Markers stay in order, and each occurs once: all values are kept here, and
	// the evaluation takes them from there.
	s.kept++
	number := fmt.Sprint((uint64(s.number) + uint64(s.kept)) % (1 << 31))
	kept, give := "", 0
	n := 0
	for i := range args {
		if !args[i].marker {
			continue
		}
		if i == at {
			give = n
		}
		kept += ", " + args[i].value
		args[i].kept = fmt.Sprintf("%s.%d", number, n)
		n++
	}
	if best.unique {
		locked := ""
		if s.locks {
			s.locked = true
			locked = best.table
		}
		return fmt.Sprintf("%s = BENCH.ROW_BY_KEY(%s, %s, %s, %d%s)", row, quoted(best.name), quoted(locked), number, give, kept), true
	}
	value := fmt.Sprintf("BENCH.XQ_KEEP(%s, %d%s)", number, give, kept)
	switch best.class {
	case double:
		value = "DOUBLE(" + value + ")"
	case exact:
		value = "CAST(" + value + " AS DECIMAL(31, 0))"
	default:
	}
	return fmt.Sprintf("%s IN (SELECT R FROM %s WHERE K = %s)", row, best.keys(), value), false
}

// join finds rows by a comparison of two documents' paths, each of which an
// index serves; empty if there is none.
func (s *statement) join(q *xquery.Query, args []argument) string {
	for _, c := range comparisons(q.Body) {
		if c.other == nil {
			continue
		}
		left, right := find(args, c.document), find(args, c.variable)
		if left < 0 || right < 0 || left == right {
			continue
		}
		for _, l := range s.indexes {
			for _, r := range s.indexes {
				if l.class == r.class && l.serves(args[left], c.steps) && r.serves(args[right], c.other) {
					return fmt.Sprintf("EXISTS (SELECT 1 FROM %s KL, %s KR WHERE KL.R = %s AND KR.R = %s AND KL.K = KR.K)",
						l.keys(), r.keys(), args[left].qualifier+rowID(l.table), args[right].qualifier+rowID(r.table))
				}
			}
		}
	}
	return ""
}

func find(args []argument, name string) int {
	return slices.IndexFunc(args, func(a argument) bool { return a.name == name })
}

// keys returns the table of an index's keys.
func (i index) keys() string { return `BENCH."` + i.name + `"` }

// serves reports whether an index has all nodes of a path of a document.
func (i index) serves(document argument, steps []string) bool {
	if i.table != document.table || i.column != document.column || len(i.steps) != len(steps) {
		return false
	}
	for at, want := range i.steps {
		if want != steps[at] && (want != "*" || strings.HasPrefix(steps[at], "@") || steps[at] == "//") {
			return false
		}
	}
	return true
}

// comparison is a condition that must hold for some node of a document: its
// path compared with a variable, or with the path of another document.
type comparison struct {
	document string
	steps    []string
	variable string
	other    []string // the path from the variable, nil for the variable itself
}

// comparisons returns the equalities in the predicates of a path.
func comparisons(body *xquery.Node) (found []comparison) {
	if body.Kind != xquery.Path || body.Rooted {
		return nil
	}
	document := body.Steps[0].Expr
	if document == nil || document.Kind != xquery.Variable {
		return nil
	}
	for at := range body.Steps {
		prefix, rest := plainSteps(body.Steps[1 : at+1])
		if len(rest) > 0 {
			break
		}
		for _, p := range body.Steps[at].Predicates {
			for _, equality := range equalities(p) {
				for _, swap := range []int{0, 1} {
					steps, ok := relative(equality.Kids[swap])
					if !ok {
						continue
					}
					variable, other, ok := from(equality.Kids[1-swap])
					if ok {
						found = append(found, comparison{document.Text, slices.Concat(prefix, steps), variable, other})
					}
				}
			}
		}
	}
	return found
}

// equalities returns the equalities that must all hold.
func equalities(n *xquery.Node) []*xquery.Node {
	switch {
	case n.Kind == xquery.And:
		return append(equalities(n.Kids[0]), equalities(n.Kids[1])...)
	case n.Kind == xquery.Comparison && (n.Text == "=" || n.Text == "eq"):
		return []*xquery.Node{n}
	}
	return nil
}

// relative returns a path from the context.
func relative(n *xquery.Node) (steps []string, ok bool) {
	if n.Kind == xquery.Context {
		return nil, true
	}
	if n.Kind != xquery.Path || n.Rooted {
		return nil, false
	}
	steps, rest := plainSteps(n.Steps)
	return steps, len(steps) > 0 && atomised(rest)
}

// from returns a variable, or a path from one.
func from(n *xquery.Node) (variable string, steps []string, ok bool) {
	if n.Kind == xquery.Variable {
		return n.Text, nil, true
	}
	if n.Kind != xquery.Path || n.Rooted || n.Steps[0].Expr == nil || n.Steps[0].Expr.Kind != xquery.Variable {
		return "", nil, false
	}
	steps, rest := plainSteps(n.Steps[1:])
	return n.Steps[0].Expr.Text, steps, len(steps) > 0 && atomised(rest)
}

// atomised reports whether nothing follows a path except fn:string(.), with
// which IBM's manual converts both sides of a join.
func atomised(rest []xquery.Step) bool {
	if len(rest) == 0 {
		return true
	}
	call := rest[0].Expr
	return len(rest) == 1 && call != nil && call.Kind == xquery.Call && call.Name.Local == "string" &&
		len(call.Kids) == 1 && call.Kids[0].Kind == xquery.Context
}

// plainSteps returns the steps of a path in the form of java/Index.java, if
// they are names of children, attributes and descendants.
func plainSteps(path []xquery.Step) (steps []string, rest []xquery.Step) {
	for i, s := range path {
		name := s.Test.Name.String()
		if s.Test.Name.URI == "*" && s.Test.Name.Local == "*" {
			name = "*"
		} else if s.Test.Name.URI == "*" || s.Test.Name.Local == "*" {
			return steps, path[i:]
		}
		switch {
		case s.Expr != nil:
			return steps, path[i:]
		case s.Axis == "descendant-or-self" && s.Test.Kind == "node":
			steps = append(steps, "//")
		case s.Axis == "child" && s.Test.Kind == "":
			steps = append(steps, name)
		case s.Axis == "attribute" && s.Test.Kind == "":
			steps = append(steps, "@"+name)
		default:
			return steps, path[i:]
		}
	}
	return steps, nil
}

// Queries returns the queries in a statement or a script.
func Queries(sql string) (queries []string, err error) {
	tokens, err := lex(sql)
	for i := range tokens {
		after := i > 1 && tokens[i-1].kind == '(' && tokens[i-2].is("XMLQUERY", "XMLEXISTS", "XMLTABLE")
		if tokens[i].kind == 's' && (after || i > 0 && tokens[i-1].is("XMLPATTERN")) {
			queries = append(queries, tokens[i].value())
		}
	}
	return queries, err
}
