package xquery

import "strings"

// Name is an expanded name.
type Name struct{ URI, Local string }

// String returns the name in the notation of index patterns.
func (n Name) String() string { return "{" + n.URI + "}" + n.Local }

// Kind is the kind of an expression.
type Kind string

// The kinds of expressions. Kids are their operands, in order.
const (
	Literal     Kind = "literal"    // Text
	Variable    Kind = "variable"   // Text is its name
	Context     Kind = "context"    // the context item
	Sequence    Kind = "sequence"   // (a, b), ()
	Call        Kind = "call"       // Name
	Path        Kind = "path"       // Steps, and Rooted
	Comparison  Kind = "comparison" // Text is the operator
	And         Kind = "and"
	Operation   Kind = "operation" // Text is the operator: or, to, +, union and the like
	Cast        Kind = "cast"      // Text is "cast" or "castable"
	Constructor Kind = "constructor"
	FLWOR       Kind = "FLWOR"
	Quantified  Kind = "quantified"
	If          Kind = "if"
	Transform   Kind = "transform"
	Update      Kind = "update" // Text is the verb
)

// Node is an expression.
type Node struct {
	Kind   Kind
	Pos    int
	Text   string
	Name   Name
	Kids   []*Node
	Steps  []Step
	Rooted bool // a path that begins with a slash
}

// Step is a step of a path: an axis with a test, or any expression.
type Step struct {
	Axis       string
	Test       Test
	Expr       *Node
	Predicates []*Node
}

// Test selects the nodes of a step: by name, or by kind, such as text().
type Test struct {
	Kind string // empty for a name
	Name Name   // a part that is * stands for any
}

// Query is a parsed query.
type Query struct {
	Body  *Node
	text  string
	edits []edit
}

// edit replaces a piece of the text for other processors.
type edit struct {
	from, to int
	by       string
}

// Standard returns the query in the W3C's XQuery Update, which has "insert nodes"
// for Db2's "do insert".
func (q *Query) Standard() string {
	var b strings.Builder
	at := 0
	for _, e := range q.edits {
		b.WriteString(q.text[at:e.from] + e.by)
		at = e.to
	}
	return b.String() + q.text[at:]
}

// Walk calls f for an expression and all within it.
func (n *Node) Walk(f func(*Node)) {
	if n == nil {
		return
	}
	f(n)
	for _, kid := range n.Kids {
		kid.Walk(f)
	}
	for _, s := range n.Steps {
		s.Expr.Walk(f)
		for _, p := range s.Predicates {
			p.Walk(f)
		}
	}
}
