package xquery

import "strings"

// Kind is the kind of an expression.
type Kind string

// The kinds of expressions that decide whether an index serves a condition. Other stands for the rest.
const (
	Literal    Kind = "literal"
	Variable   Kind = "variable"   // Text is its name
	Context    Kind = "context"    // the context item
	Call       Kind = "call"       // Text is the name of a function, Kids are the arguments
	Path       Kind = "path"       // Steps, and Rooted
	Comparison Kind = "comparison" // Text is the operator, Kids are both sides
	And        Kind = "and"        // Kids are both sides
	Other      Kind = "other"
)

// Node is an expression.
type Node struct {
	Kind   Kind
	Text   string
	Kids   []*Node
	Steps  []Step
	Rooted bool // a path that begins with a slash
}

// Step is a step of a path: to children or attributes by their names, to all descendants, or by any expression.
type Step struct {
	Name       string // as in patterns of indexes (java/Index.java): {uri}name, @{uri}name or *, and also @* or //
	Expr       *Node  // instead of a name
	Predicates []*Node
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

// Standard returns the query in the syntax of the W3C's XQuery Update, such as "insert nodes" for Db2's "do insert".
func (q *Query) Standard() string {
	var b strings.Builder
	at := 0
	for _, e := range q.edits {
		b.WriteString(q.text[at:e.from] + e.by)
		at = e.to
	}
	return b.String() + q.text[at:]
}
