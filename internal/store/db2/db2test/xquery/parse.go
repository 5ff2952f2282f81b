package xquery

import "strings"

const (
	nsFunctions = "http://www.w3.org/2005/xpath-functions"
	nsTypes     = "http://www.w3.org/2001/XMLSchema"
)

// function is a name with the number of its arguments.
type function struct {
	uri, local string
	arguments  int
}

// functions are from "Db2 XQuery functions by category" and "Constructor functions". "Castable expressions" take the
// types whose constructors are here.
var functions = map[function]bool{
	{nsFunctions, "concat", 4}:    true,
	{nsFunctions, "count", 1}:     true,
	{nsFunctions, "floor", 1}:     true,
	{nsFunctions, "max", 1}:       true,
	{nsFunctions, "not", 1}:       true,
	{nsFunctions, "string", 1}:    true,
	{nsFunctions, "substring", 2}: true, {nsFunctions, "substring", 3}: true,
	{nsFunctions, "true", 0}: true,
	{nsTypes, "decimal", 1}:  true,
	{nsTypes, "integer", 1}:  true,
	{nsTypes, "long", 1}:     true,
}

// Parse parses a query. The error is a *Refused.
func Parse(text string) (q *Query, err error) {
	p := &parser{text: text, prefixes: map[string]string{"fn": nsFunctions, "xs": nsTypes}}
	defer func() {
		if thrown := recover(); thrown != nil {
			refused, ok := thrown.(*Refused)
			if !ok {
				panic(thrown) // a fault of this parser
			}
			err = refused
		}
	}()
	p.prolog()
	body := p.expr()
	if p.skip(); p.at < len(p.text) {
		p.refuse("%q is not in the part of Db2's XQuery that is known here", p.ahead())
	}
	return &Query{Body: body, text: text, edits: p.edits}, nil
}

// prolog reads the declarations of namespaces ("Prolog").
func (p *parser) prolog() {
	for {
		switch {
		case p.takesWords("declare", "default", "element", "namespace"):
			p.element = p.stringLiteral()
		case p.takesWords("declare", "namespace"):
			p.skip()
			prefix := p.ncName()
			p.want("=")
			p.prefixes[prefix] = p.stringLiteral()
		default:
			return
		}
		p.want(";")
	}
}

// expr reads expressions separated by commas.
func (p *parser) expr() *Node {
	n := p.single()
	for p.takes(",") {
		p.single()
		n = &Node{Kind: Other}
	}
	return n
}

// single reads an expression without commas.
func (p *parser) single() *Node {
	switch {
	case p.before("for", "$"), p.before("let", "$"):
		p.flwor()
	case p.before("if", "("):
		p.conditional()
	case p.before("copy", "$"):
		p.transform()
	case p.takesWords("do"):
		p.update()
	default:
		return p.binary(0)
	}
	return &Node{Kind: Other}
}

// flwor reads "FLWOR expressions": for and let, where, return.
func (p *parser) flwor() {
	for p.before("for", "$") || p.before("let", "$") {
		if p.takesWords("for") {
			p.bindings(func() { p.wantWord("in") })
		} else {
			p.wantWord("let")
			p.bindings(func() { p.want(":=") })
		}
	}
	if p.takesWords("where") {
		p.single()
	}
	p.wantWord("return")
	p.single()
}

// bindings reads variables and their values.
func (p *parser) bindings(between func()) {
	for more := true; more; more = p.takes(",") {
		p.want("$")
		p.ncName()
		between()
		p.single()
	}
}

// conditional reads "Conditional expressions".
func (p *parser) conditional() {
	p.wantWord("if")
	p.want("(")
	p.expr()
	p.want(")")
	p.wantWord("then")
	p.single()
	p.wantWord("else")
	p.single()
}

// transform reads "Transform expression".
func (p *parser) transform() {
	p.wantWord("copy")
	p.bindings(func() { p.want(":=") })
	p.wantWord("modify")
	p.single()
	p.wantWord("return")
	p.single()
}

// update reads "Insert expression", "Delete expression" and "Replace expression" after the word do, and notes how they
// differ from the W3C's syntax.
func (p *parser) update() {
	from := p.at - len("do")
	become := func(words string) { p.edits = append(p.edits, edit{from, p.at, words}) }
	switch {
	case p.takesWords("insert"):
		become("insert nodes")
		if p.takesWords("attribute") { // "Computed attribute constructors"
			p.skip()
			p.qName("")
			p.enclosed()
		} else {
			p.single()
		}
		if !p.takesWords("as", "last", "into") {
			p.wantWord("into")
		}
		p.single()
	case p.takesWords("delete"):
		become("delete nodes")
		p.single()
	case p.takesWords("replace", "value", "of"):
		become("replace value of node")
		p.single()
		p.wantWord("with")
		p.single()
	default:
		p.refuse("insert, delete or replace value of expected after do, not %q", p.ahead())
	}
}

// level holds binary operators of one precedence.
type level struct {
	kind    Kind
	words   []string
	symbols []string
}

// levels are the binary operators, the weakest first. Symbols are tried in order: <= before <.
var levels = []level{
	{kind: Other, words: []string{"or"}},
	{kind: And, words: []string{"and"}},
	{kind: Comparison, symbols: []string{"!=", "<=", ">=", "=", "<", ">"}},
	{kind: Other, symbols: []string{"+", "-"}},
	{kind: Other, words: []string{"idiv", "mod"}, symbols: []string{"*"}},
}

// binary reads operators of a level and of the stronger ones.
func (p *parser) binary(at int) *Node {
	if at == len(levels) {
		return p.castable()
	}
	n := p.binary(at + 1)
	for {
		operator := p.operator(levels[at])
		if operator == "" {
			return n
		}
		n = &Node{Kind: levels[at].kind, Text: operator, Kids: []*Node{n, p.binary(at + 1)}}
	}
}

// operator consumes an operator of a level if one is next.
func (p *parser) operator(l level) string {
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

// castable reads "Castable expressions", and signs.
func (p *parser) castable() *Node {
	if p.takes("-") {
		p.castable()
		return &Node{Kind: Other}
	}
	n := p.path()
	if p.takesWords("castable", "as") {
		p.skip()
		uri, local := p.qName("")
		if uri != nsTypes || !functions[function{uri, local, 1}] {
			p.refuse("the type {%s}%s is not known here", uri, local)
		}
		return &Node{Kind: Other}
	}
	return n
}

// path reads steps with slashes between them; one expression alone is no path.
func (p *parser) path() *Node {
	n := &Node{Kind: Path}
	anywhere := Step{Name: "//"}
	switch {
	case p.takes("//"):
		n.Rooted = true
		n.Steps = append(n.Steps, anywhere)
	case p.takes("/"):
		n.Rooted = true
	}
	for {
		n.Steps = append(n.Steps, p.step())
		if p.takes("//") {
			n.Steps = append(n.Steps, anywhere)
		} else if !p.takes("/") {
			break
		}
	}
	if only := n.Steps[0]; len(n.Steps) == 1 && !n.Rooted && only.Expr != nil && len(only.Predicates) == 0 {
		return only.Expr
	}
	return n
}

func (p *parser) step() (s Step) {
	switch {
	case p.takes("@*"):
		s.Name = "@*"
	case p.takes("@"):
		uri, local := p.qName("")
		s.Name = "@{" + uri + "}" + local
	case p.takes("*"):
		s.Name = "*"
	default:
		if s.Expr = p.primary(); s.Expr == nil {
			uri, local := p.qName(p.element)
			s.Name = "{" + uri + "}" + local
		}
	}
	for p.takes("[") {
		s.Predicates = append(s.Predicates, p.expr())
		p.want("]")
	}
	return s
}

// primary reads "Primary expressions", and returns nil if a name follows.
func (p *parser) primary() *Node {
	p.skip()
	switch rest := p.text[p.at:]; {
	case rest == "":
		p.refuse("an expression expected")
	case rest[0] == '"', rest[0] == '\'':
		p.stringLiteral()
		return &Node{Kind: Literal}
	case rest[0] >= '0' && rest[0] <= '9':
		p.at += len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		return &Node{Kind: Literal}
	case p.raw("$"):
		return &Node{Kind: Variable, Text: p.ncName()}
	case p.raw("."):
		return &Node{Kind: Context}
	case p.raw("("):
		n := &Node{Kind: Other}
		if !p.sees(")") {
			n = p.expr()
		}
		p.want(")")
		return n
	case p.raw("<"):
		p.constructor()
		return &Node{Kind: Other}
	case p.before("text", "("): // the kind test of "Node tests"
		p.wantWord("text")
		p.want("(")
		p.want(")")
		return &Node{Kind: Other}
	}
	return p.call()
}

// call reads a call of a function, and returns nil if only a name follows.
func (p *parser) call() *Node {
	at := p.at
	uri, local := p.qName(nsFunctions)
	if !p.takes("(") {
		p.at = at
		return nil
	}
	n := &Node{Kind: Call, Text: local}
	for more := !p.sees(")"); more; more = p.takes(",") {
		n.Kids = append(n.Kids, p.single())
	}
	p.want(")")
	if !functions[function{uri, local, len(n.Kids)}] {
		p.refuse("the function {%s}%s of %d arguments is not known here", uri, local, len(n.Kids))
	}
	return n
}

// enclosed reads an expression in braces.
func (p *parser) enclosed() {
	p.want("{")
	p.expr()
	p.want("}")
}

// constructor reads "Direct element constructors" after the first angle bracket. They have no namespaces of their own.
func (p *parser) constructor() {
	name := p.ncName()
	for p.space(); !p.raw("/>") && !p.raw(">"); p.space() {
		if attribute := p.ncName(); attribute == "" || attribute == "xmlns" || !p.raw(`="`) {
			p.refuse("an attribute expected, not %q", p.ahead())
		}
		for !p.raw(`"`) {
			p.content()
		}
	}
	if p.text[p.at-2:p.at] == "/>" {
		return
	}
	for !p.raw("</") {
		p.content()
	}
	if !p.raw(name + ">") {
		p.refuse("</%s> expected, not %q", name, p.ahead())
	}
}

// content reads a character, an expression or an element within an element.
func (p *parser) content() {
	switch {
	case p.at == len(p.text):
		p.refuse("an element does not end")
	case p.text[p.at] == '{':
		p.enclosed()
	case p.raw("<"):
		p.constructor()
	default:
		p.at++
	}
}
