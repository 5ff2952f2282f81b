package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"brokerage/internal/store/db2/db2test/xquery"
)

// exists rewrites XMLEXISTS. If an index would serve an equality in it, the
// table of keys finds the rows. The condition is still evaluated on them,
// because the equality is only a part of it, and because a row may have changed
// before Derby locked it.
func (s *statement) exists(in []token) string {
	q, args := s.passing(in)
	if found := s.join(q, args); found != "" {
		return "CASE WHEN " + found + " THEN " + s.evaluation("XQ_EXISTS", q, args) + " ELSE 0 END = 1"
	}
	found, unique := s.key(q, args)
	condition := s.evaluation("XQ_EXISTS", q, args)
	switch {
	case unique:
		return "(" + found + " AND " + condition + " = 1)"
	case found != "":
		// CASE, because Derby may evaluate the sides of AND in any order, and the lookup must come first.
		return "CASE WHEN " + found + " THEN " + condition + " ELSE 0 END = 1"
	}
	return condition + " = 1"
}

// key returns a condition that finds rows by an equality with a marker's value; found is empty if no index serves one.
func (s *statement) key(q *xquery.Query, args []argument) (found string, unique bool) {
	if slices.ContainsFunc(args, func(a argument) bool { return a.marker && a.kind == "doc" }) {
		return "", false // its marker would not stay in order
	}
	best, at := index{}, -1
	var row string
	for _, c := range comparisons(q.Body) {
		document, value := find(args, c.document), find(args, c.variable)
		if document < 0 || value < 0 || c.other != nil || !c.equality || args[document].table == "" || !args[value].marker {
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
	// Markers stay in order, and each occurs once: the lookup keeps all values, and
	// the evaluation uses the kept ones.
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
		return fmt.Sprintf("%s = BENCH.ROW_BY_KEY(%s, %s, %s, %d%s)",
			row, quoted(best.name), quoted(locked), number, give, kept), true
	}
	value := fmt.Sprintf("BENCH.XQ_KEEP(%s, %d%s)", number, give, kept)
	if best.class == double {
		value = "DOUBLE(" + value + ")"
	}
	return fmt.Sprintf("%s IN (SELECT R FROM %s WHERE K = %s)", row, best.keys(), value), false
}

// join returns a condition that finds rows by a comparison of two documents' paths, each of which an index serves; it
// is empty if there is none.
func (s *statement) join(q *xquery.Query, args []argument) string {
	for _, c := range comparisons(q.Body) {
		if c.other == nil || !c.equality || !c.converted {
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

// keys returns the name of the table with the keys of an index.
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
	document   string
	steps      []string
	positioned bool // a position is before the comparison or in its path, as in Order[1][@ID = $id]
	equality   bool // and no range
	variable   string
	other      []string // the path from the variable, nil for the variable itself
	converted  bool     // both sides, by fn:string
}

// comparisons returns the comparisons in the predicates of a path, all of which must hold.
func comparisons(body *xquery.Node) []comparison {
	if body.Kind != xquery.Path || body.Rooted {
		return nil
	}
	document := body.Steps[0].Expr
	if document == nil || document.Kind != xquery.Variable {
		return nil
	}
	c := comparison{document: document.Text}
	return append(c.inPredicates(body.Steps[0]), c.inSteps(body.Steps[1:])...)
}

// inSteps returns the comparisons in the predicates of steps, which come after c.steps.
func (c comparison) inSteps(steps []xquery.Step) (found []comparison) {
	from := c.steps
	for at := range steps {
		path, rest := plainSteps(steps[:at+1])
		if len(rest) > 0 {
			break
		}
		c.steps = slices.Concat(from, path)
		found = append(found, c.inPredicates(steps[at])...)
		c.positioned = c.positioned || slices.ContainsFunc(steps[at].Predicates, isPosition)
	}
	return found
}

func (c comparison) inPredicates(step xquery.Step) (found []comparison) {
	for _, p := range step.Predicates {
		found = append(found, c.inPredicate(p)...)
		c.positioned = c.positioned || isPosition(p)
	}
	return found
}

func (c comparison) inPredicate(p *xquery.Node) (found []comparison) {
	switch p.Kind {
	case xquery.And:
		return append(c.inPredicate(p.Kids[0]), c.inPredicate(p.Kids[1])...)
	case xquery.Path:
		if !p.Rooted && p.Steps[0].Expr == nil {
			return c.inSteps(p.Steps) // it holds if there is such a node
		}
	case xquery.Comparison:
		if p.Text == "!=" {
			return nil
		}
		c.equality = p.Text == "="
		for at, side := range p.Kids {
			path, left, ok := relative(side)
			if !ok {
				continue
			}
			whole := c
			var right bool
			if whole.variable, whole.other, right, ok = fromVariable(p.Kids[1-at]); !ok {
				continue
			}
			whole.steps, whole.converted = slices.Concat(c.steps, path), left && right
			for _, s := range side.Steps {
				whole.positioned = whole.positioned || slices.ContainsFunc(s.Predicates, isPosition)
			}
			found = append(found, whole)
		}
	default: // no comparison
	}
	return found
}

// isPosition reports whether a predicate is a position among the nodes of its step.
func isPosition(p *xquery.Node) bool { return p.Kind == xquery.Literal }

// relative returns a path from the context, and whether its value is converted by fn:string.
func relative(n *xquery.Node) (steps []string, converted, ok bool) {
	if n.Kind == xquery.Context {
		return nil, false, true
	}
	if n.Kind != xquery.Path || n.Rooted {
		return nil, false, false
	}
	steps, rest := plainSteps(n.Steps)
	return steps, len(rest) > 0, len(steps) > 0 && atomised(rest)
}

// fromVariable returns a variable, or a path from one, and whether its value is converted by fn:string.
func fromVariable(n *xquery.Node) (name string, steps []string, converted, ok bool) {
	if n.Kind == xquery.Variable {
		return n.Text, nil, false, true
	}
	if n.Kind != xquery.Path || n.Rooted || n.Steps[0].Expr == nil || n.Steps[0].Expr.Kind != xquery.Variable {
		return "", nil, false, false
	}
	steps, rest := plainSteps(n.Steps[1:])
	return n.Steps[0].Expr.Text, steps, len(rest) > 0, len(steps) > 0 && atomised(rest)
}

// atomised reports whether nothing follows a path except fn:string(.), with
// which IBM's manual converts both sides of a join.
func atomised(rest []xquery.Step) bool {
	if len(rest) == 0 {
		return true
	}
	call := rest[0].Expr
	return len(rest) == 1 && call.Kind == xquery.Call && call.Text == "string" &&
		len(call.Kids) == 1 && call.Kids[0].Kind == xquery.Context
}

// plainSteps returns the steps of a path up to the first one that is not a name.
func plainSteps(path []xquery.Step) (steps []string, rest []xquery.Step) {
	for i, s := range path {
		if s.Expr != nil {
			return steps, path[i:]
		}
		steps = append(steps, s.Name)
	}
	return steps, nil
}

// Queries returns the queries in a statement or a script, and the patterns of indexes.
func Queries(sql string) (queries []string, err error) {
	defer func() { err = refused(recover()) }()
	tokens := lex(sql)
	for i := range tokens {
		after := i > 1 && tokens[i-1].kind == '(' && tokens[i-2].is("XMLQUERY", "XMLEXISTS")
		if tokens[i].kind == 's' && (after || i > 0 && tokens[i-1].is("XMLPATTERN")) {
			queries = append(queries, tokens[i].value())
		}
	}
	return queries, nil
}
