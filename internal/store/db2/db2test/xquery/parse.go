package xquery

import (
	"slices"
	"strings"
)

// expr reads expressions separated by commas.
func (p *parser) expr() *Node {
	p.skip()
	n := &Node{Kind: Sequence, Pos: p.at, Kids: []*Node{p.single()}}
	for p.takes(",") {
		n.Kids = append(n.Kids, p.single())
	}
	if len(n.Kids) == 1 {
		return n.Kids[0]
	}
	return n
}

// newer are expressions of other dialects, by their beginnings.
var newer = []struct{ word, symbol string }{
	{"try", "{"}, {"switch", "("}, {"typeswitch", "("}, {"validate", "{"}, {"function", "("}, {"map", "{"}, {"array", "{"},
	{"ordered", "{"}, {"unordered", "{"}, {"namespace", "{"},
}

// newerWords are further ones, by their first words: "insert nodes" is the
// W3C's "do insert".
var newerWords = [][]string{
	{"insert", "node"}, {"insert", "nodes"}, {"delete", "node"}, {"delete", "nodes"}, {"replace", "node"},
	{"replace", "value", "of", "node"}, {"rename", "node"}, {"for", "tumbling"}, {"for", "sliding"}, {"validate", "lax"},
	{"validate", "strict"},
}

// single reads an expression without commas. The kinds are those of the pages
// of "Expressions" in the XQuery Reference.
func (p *parser) single() *Node {
	for _, n := range newer {
		if p.before(n.word, n.symbol) {
			p.refuse("%s expressions are not in Db2's XQuery", n.word)
		}
	}
	for _, words := range newerWords {
		if p.words(words...) {
			p.refuse("%q is not Db2's XQuery", strings.Join(words, " "))
		}
	}
	switch {
	case p.before("for", "$"), p.before("let", "$"):
		return p.flwor()
	case p.before("some", "$"), p.before("every", "$"):
		return p.quantified()
	case p.before("if", "("):
		return p.conditional()
	case p.before("copy", "$"), p.words("transform", "copy"):
		return p.transform()
	case p.words("do"):
		return p.update()
	}
	return p.binary(0)
}

// flwor reads "FLWOR expressions": for and let, where, order by, return.
func (p *parser) flwor() *Node {
	n := &Node{Kind: FLWOR, Pos: p.at}
	for p.before("for", "$") || p.before("let", "$") {
		loop := p.takesWords("for")
		if !loop {
			p.wantWord("let")
		}
		for more := true; more; more = p.takes(",") {
			n.Kids = append(n.Kids, p.binding(loop))
		}
	}
	if p.takesWords("where") {
		n.Kids = append(n.Kids, p.single())
	}
	if p.takesWords("stable", "order", "by") || p.takesWords("order", "by") {
		for more := true; more; more = p.takes(",") {
			n.Kids = append(n.Kids, p.single())
			_ = p.takesWords("ascending") || p.takesWords("descending")
			_ = p.takesWords("empty", "greatest") || p.takesWords("empty", "least")
		}
	}
	for _, later := range []string{"for", "let", "where", "group", "count", "window", "allowing"} {
		if p.words(later) {
			p.refuse("a %s clause here: Db2's FLWOR has for and let, then where, then order by, then return", later)
		}
	}
	p.wantWord("return")
	n.Kids = append(n.Kids, p.single())
	return n
}

// binding reads a variable and its value.
func (p *parser) binding(loop bool) *Node {
	p.want("$")
	p.qName()
	if p.words("as") {
		p.refuse("a declared type of a variable is not in Db2's XQuery")
	}
	if !loop {
		p.want(":=")
		return p.single()
	}
	if p.takesWords("at") {
		p.want("$")
		p.qName()
	}
	p.wantWord("in")
	return p.single()
}

func (p *parser) quantified() *Node {
	n := &Node{Kind: Quantified, Pos: p.at}
	if !p.takesWords("some") {
		p.wantWord("every")
	}
	for more := true; more; more = p.takes(",") {
		n.Kids = append(n.Kids, p.binding(true))
	}
	p.wantWord("satisfies")
	n.Kids = append(n.Kids, p.single())
	return n
}

func (p *parser) conditional() *Node {
	n := &Node{Kind: If, Pos: p.at}
	p.wantWord("if")
	p.want("(")
	n.Kids = append(n.Kids, p.expr())
	p.want(")")
	p.wantWord("then")
	n.Kids = append(n.Kids, p.single())
	p.wantWord("else")
	n.Kids = append(n.Kids, p.single())
	return n
}

// level holds the binary operators by precedence, the lowest first.
type level struct {
	kind    Kind
	words   []string
	symbols []string
	once    bool // a < b < c is no expression
}

var levels = []level{
	{kind: Operation, words: []string{"or"}},
	{kind: And, words: []string{"and"}},
	{
		kind: Comparison, words: []string{"eq", "ne", "lt", "le", "gt", "ge", "is"},
		symbols: []string{"<<", ">>", "!=", "<=", ">=", "=", "<", ">"}, once: true,
	},
	{kind: Operation, words: []string{"to"}, once: true},
	{kind: Operation, symbols: []string{"+", "-"}},
	{kind: Operation, words: []string{"div", "idiv", "mod"}, symbols: []string{"*"}},
	{kind: Operation, words: []string{"union"}, symbols: []string{"|"}},
	{kind: Operation, words: []string{"intersect", "except"}},
}

// binary reads operators of a level and of the stronger ones.
func (p *parser) binary(at int) *Node {
	if at == len(levels) {
		return p.cast()
	}
	l := levels[at]
	n := p.binary(at + 1)
	for {
		operator := p.operator(l)
		if operator == "" {
			return n
		}
		n = &Node{Kind: l.kind, Pos: n.Pos, Text: operator, Kids: []*Node{n, p.binary(at + 1)}}
		if l.once {
			return n
		}
	}
}

// operator consumes an operator of a level if one is next.
func (p *parser) operator(l level) string {
	for _, other := range []string{"||", "=>", "!="} {
		if p.sees(other) {
			if other == "!=" && slices.Contains(l.symbols, other) {
				break
			}
			if other != "!=" {
				p.refuse("the operator %s is not in Db2's XQuery", other)
			}
			return ""
		}
	}
	if p.sees("!") && !p.sees("!=") {
		p.refuse("the operator ! is not in Db2's XQuery")
	}
	for _, w := range l.words {
		if p.takesWords(w) {
			return w
		}
	}
	for _, s := range l.symbols {
		if p.takes(s) {
			return s
		}
	}
	return ""
}

// cast reads "Cast expressions" and "Castable expressions", and signs.
func (p *parser) cast() *Node {
	p.skip()
	if p.takes("-") || p.takes("+") {
		return &Node{Kind: Operation, Pos: p.at, Text: "sign", Kids: []*Node{p.cast()}}
	}
	n := p.path()
	for _, words := range [][]string{{"instance", "of"}, {"treat", "as"}} {
		if p.words(words...) {
			p.refuse("%q is not in Db2's XQuery", strings.Join(words, " "))
		}
	}
	for _, verb := range []string{"castable", "cast"} {
		if p.takesWords(verb, "as") {
			n = &Node{Kind: Cast, Pos: n.Pos, Text: verb, Name: p.atomicType(), Kids: []*Node{n}}
			p.takes("?")
		}
	}
	return n
}

// atomicType reads the name of a type.
func (p *parser) atomicType() Name {
	prefix, local := p.qName()
	if prefix == "" {
		return Name{p.scope.element, local}
	}
	return Name{p.uri(prefix), local}
}
