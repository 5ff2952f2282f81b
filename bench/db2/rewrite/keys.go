package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"brokerage/bench/db2/xquery"
)

// exists rewrites XMLEXISTS. Where an index would serve it, the rows are found by the table of keys; the condition is
// evaluated on them nevertheless, because the index is only necessary, and because a row may have changed meanwhile:
// what counts is Derby's lock on the row, taken before.
func (s *statement) exists(in []token) string {
	q, args := s.passing(in)
	if found := s.join(q, args); found != "" {
		return "CASE WHEN " + found + " THEN " + evaluation("XQ_EXISTS", q, args) + " ELSE 0 END = 1"
	}
	found, unique := s.key(q, args)
	condition := evaluation("XQ_EXISTS", q, args)
	switch {
	case unique:
		return "(" + found + " AND " + condition + " = 1)"
	case found != "":
		// CASE, because Derby evaluates the sides of AND in any order, and what is found has to come first.
		return "CASE WHEN " + found + " THEN " + condition + " ELSE 0 END = 1"
	}
	return condition + " = 1"
}

// key finds rows by a comparison with a text, empty if no index serves one.
func (s *statement) key(q *xquery.Query, args []argument) (found string, unique bool) {
	best, at := index{}, -1
	var row string
	for _, c := range comparisons(q.Body) {
		document, value := find(args, c.document), find(args, c.variable)
		if document < 0 || value < 0 || c.other != nil || args[value].kind != "xs:string" {
			continue
		}
		for _, i := range s.indexes {
			better := at < 0 || i.unique && !best.unique || i.unique == best.unique && i.name < best.name
			if better && i.serves(args[document], c.steps) {
				best, at = i, value
				row = args[document].qualifier + rowID(i.table)
			}
		}
	}
	if at < 0 {
		return "", false
	}
	kept := s.keep(args, at)
	if !best.unique {
		return fmt.Sprintf("%s IN (SELECT R FROM %s WHERE K = BENCH.XQ_KEEP(%s))", row, best.keys(), kept), false
	}
	locked := ""
	if s.locks {
		s.locked, locked = true, best.table
	}
	return fmt.Sprintf("%s = BENCH.ROW_BY_KEY(%s, %s, %s)", row, quoted(best.name), quoted(locked), kept), true
}

// keep returns the arguments of a function that keeps all parameters and returns the one at the given index. The
// evaluation of the condition takes them from there, so that each marker is written once, in order.
func (s *statement) keep(args []argument, at int) string {
	s.kept++
	number := fmt.Sprint((uint64(s.number) + uint64(s.kept)) % (1 << 31))
	n, give, values := 0, 0, ""
	for i := range args {
		if !args[i].marker {
			continue
		}
		if i == at {
			give = n
		}
		values += ", " + args[i].value
		args[i].kept = fmt.Sprintf("%s.%d", number, n)
		n++
	}
	return fmt.Sprintf("%s, %d%s", number, give, values)
}

// join finds rows by a comparison of two documents' paths, each of which an index serves; empty if there is none.
func (s *statement) join(q *xquery.Query, args []argument) string {
	for _, c := range comparisons(q.Body) {
		left, right := find(args, c.document), find(args, c.variable)
		if left < 0 || right < 0 || c.other == nil {
			continue
		}
		for _, l := range s.indexes {
			for _, r := range s.indexes {
				if l.serves(args[left], c.steps) && r.serves(args[right], c.other) {
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
	return i.table == document.table && i.column == document.column &&
		slices.EqualFunc(i.steps, steps, func(has, step string) bool {
			return has == step || has == "*" && !strings.HasPrefix(step, "@")
		})
}

// A comparison is a condition that must hold for some node of a document: its path compared with a variable, or with
// the path of another document.
type comparison struct {
	document string
	steps    []string
	variable string
	other    []string // the path from the variable, nil for the variable itself
}

// comparisons finds the equalities in the predicates of a path.
func comparisons(body *xquery.Node) (found []comparison) {
	document, path, ok := from(body)
	if !ok {
		return nil
	}
	var prefix []string
	for _, s := range path {
		if prefix = append(prefix, s.Name); s.Expr != nil {
			break
		}
		for _, p := range s.Predicates {
			for _, equality := range equalities(p) {
				steps, ok := names(relative(equality.Kids[0]))
				variable, path, of := from(equality.Kids[1])
				other, plain := names(path)
				if ok && of && plain {
					found = append(found, comparison{document, slices.Concat(prefix, steps), variable, other})
				}
			}
		}
	}
	return found
}

// equalities are those that must all hold.
func equalities(n *xquery.Node) []*xquery.Node {
	switch {
	case n.Kind == xquery.And:
		return append(equalities(n.Kids[0]), equalities(n.Kids[1])...)
	case n.Kind == xquery.Comparison && n.Text == "=":
		return []*xquery.Node{n}
	}
	return nil
}

// relative returns the steps of a path from the context item; an expression that is none is one step.
func relative(n *xquery.Node) []xquery.Step {
	switch {
	case n.Kind == xquery.Context:
		return nil
	case n.Kind == xquery.Path && !n.Rooted:
		return n.Steps
	}
	return []xquery.Step{{Expr: n}}
}

// from returns a variable and the steps from it.
func from(n *xquery.Node) (variable string, path []xquery.Step, ok bool) {
	path = relative(n)
	if len(path) == 0 || path[0].Expr == nil || path[0].Expr.Kind != xquery.Variable || len(path[0].Predicates) > 0 {
		return "", nil, false
	}
	return path[0].Expr.Text, path[1:], true
}

// names returns the names of steps, and whether nothing else is in them but fn:string(.) at the end, by which IBM's
// manual converts both sides of a join.
func names(path []xquery.Step) (steps []string, ok bool) {
	for i, s := range path {
		if s.Expr != nil {
			call := s.Expr
			return steps, i == len(path)-1 && call.Kind == xquery.Call && call.Text == "fn:string" &&
				call.Kids[0].Kind == xquery.Context
		}
		steps = append(steps, s.Name)
	}
	return steps, true
}
