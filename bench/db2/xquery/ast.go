package xquery

import (
	"slices"
	"strings"
)

// A Kind says what an expression is, as far as the rewriter looks.
type Kind int

const (
	Other      Kind = iota
	Variable        // Text is its name
	Context         // the context item
	Call            // of the function Text
	Path            // Steps, and Rooted
	Comparison      // Text is the operator
	And
)

// A Node is an expression. Kids are its operands, in order.
type Node struct {
	Kind     Kind
	Text     string
	Kids     []*Node
	Steps    []Step
	Rooted   bool // a path that begins with a slash
	updating bool
}

// node returns an expression that is updating where one of its operands is.
func node(kind Kind, text string, kids ...*Node) *Node {
	updating := slices.ContainsFunc(kids, func(kid *Node) bool { return kid.updating })
	return &Node{Kind: kind, Text: text, Kids: kids, updating: updating}
}

// A Step of a path is a test of the names of children or attributes, or any expression.
type Step struct {
	Name       string // of children, as {uri}name, or of attributes, as @{uri}name; * is any child
	Expr       *Node
	Predicates []*Node
}

// A Query is a query that was read.
type Query struct {
	Body  *Node
	text  string
	edits []edit
}

// An edit replaces a piece of the text for other processors.
type edit struct {
	from, to int
	by       string
}

// Standard returns the query in the words of the W3C's XQuery Update: "insert nodes" where Db2 writes "do insert".
func (q *Query) Standard() string {
	var b strings.Builder
	at := 0
	for _, e := range q.edits {
		b.WriteString(q.text[at:e.from] + e.by)
		at = e.to
	}
	return b.String() + q.text[at:]
}
