package xquery

// Parse reads a query. The error is a *Refused.
func Parse(text string) (q *Query, err error) {
	p := &parser{text: text, prefixes: make(map[string]string)}
	defer func() {
		if thrown := recover(); thrown != nil {
			refused, ok := thrown.(*Refused)
			if !ok {
				panic(thrown) // a bug of ours
			}
			err = refused
		}
	}()
	p.prolog()
	body := p.expr()
	if p.skip(); p.at < len(p.text) {
		p.refuse("%q cannot stand there", p.ahead())
	}
	return &Query{Body: body, text: text, edits: p.edits}, nil
}

// prolog reads the declarations of namespaces.
func (p *parser) prolog() {
	for p.words("declare") {
		if p.words("default", "element", "namespace") {
			p.element = p.stringLiteral()
		} else {
			p.wantWord("namespace")
			_, prefix := p.qName()
			p.want("=")
			p.prefixes[prefix] = p.stringLiteral()
		}
		p.want(";")
	}
}

// expr reads expressions separated by commas.
func (p *parser) expr() *Node {
	kids := []*Node{p.single()}
	for p.takes(",") {
		kids = append(kids, p.single())
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return node(Other, "", kids...)
}

// single reads an expression without commas.
func (p *parser) single() *Node {
	switch {
	case p.before("for", "$"), p.before("let", "$"):
		return p.flwor()
	case p.before("if", "("):
		return p.conditional()
	case p.before("copy", "$"):
		return p.transform()
	case p.words("do"):
		return p.update()
	}
	return p.binary(0)
}

// flwor reads "FLWOR expressions": for and let, where, return.
func (p *parser) flwor() *Node {
	var kids []*Node
	for p.before("for", "$") || p.before("let", "$") {
		loop := p.words("for")
		if !loop {
			p.wantWord("let")
		}
		for more := true; more; more = p.takes(",") {
			kids = append(kids, p.binding(loop))
		}
	}
	if p.words("where") {
		kids = append(kids, p.single())
	}
	p.wantWord("return")
	return node(Other, "", append(kids, p.single())...)
}

// binding reads a variable and the expression that it is bound to.
func (p *parser) binding(loop bool) *Node {
	p.want("$")
	p.qName()
	if loop {
		p.wantWord("in")
	} else {
		p.want(":=")
	}
	return p.single()
}

func (p *parser) conditional() *Node {
	p.wantWord("if")
	p.want("(")
	condition := p.expr()
	p.want(")")
	p.wantWord("then")
	yes := p.single()
	p.wantWord("else")
	return node(Other, "", condition, yes, p.single())
}

// transform reads "Transform expression": copy, modify, return.
func (p *parser) transform() *Node {
	p.wantWord("copy")
	original := p.binding(false)
	p.wantWord("modify")
	modify := p.single()
	if !modify.updating {
		p.refuse("modify without an updating expression (SQL16081N)")
	}
	p.wantWord("return")
	return &Node{Kids: []*Node{original, modify, p.single()}}
}

// update reads "Insert expression", "Delete expression" and "Replace expression", after "do".
func (p *parser) update() *Node {
	from := p.at - len("do")
	standard := func(words string) { p.edits = append(p.edits, edit{from, p.at, words}) }
	n := &Node{updating: true}
	switch {
	case p.words("insert"):
		standard("insert nodes")
		n.Kids = append(n.Kids, p.single())
		if !p.words("as", "last", "into") {
			p.wantWord("into")
		}
		n.Kids = append(n.Kids, p.single())
	case p.words("delete"):
		standard("delete nodes")
		n.Kids = append(n.Kids, p.single())
	case p.words("replace", "value", "of"):
		standard("replace value of node")
		n.Kids = append(n.Kids, p.single())
		p.wantWord("with")
		n.Kids = append(n.Kids, p.single())
	default:
		p.refuse("insert, delete or replace value of expected after do, not %q", p.ahead())
	}
	return n
}

// levels are the binary operators, those that bind weakest first. Of several symbols one that begins another follows
// it.
var levels = []struct {
	kind           Kind
	words, symbols []string
	once           bool // a < b < c is no expression
}{
	{words: []string{"or"}},
	{kind: And, words: []string{"and"}},
	{kind: Comparison, symbols: []string{"!=", "<=", ">=", "=", "<", ">"}, once: true},
	{symbols: []string{"+", "-"}},
	{words: []string{"idiv", "mod"}, symbols: []string{"*"}},
}

// binary reads operators of a level and of the stronger ones.
func (p *parser) binary(at int) *Node {
	if at == len(levels) {
		return p.castable()
	}
	n := p.binary(at + 1)
	for {
		operator := p.operator(at)
		if operator == "" {
			return n
		}
		n = node(levels[at].kind, operator, n, p.binary(at+1))
		if levels[at].once {
			return n
		}
	}
}

// operator passes an operator of a level if one is next.
func (p *parser) operator(at int) string {
	if p.sees("=>") || p.sees("<<") || p.sees(">>") { // other operators, which begin like one of these
		return ""
	}
	for _, w := range levels[at].words {
		if p.words(w) {
			return w
		}
	}
	for _, s := range levels[at].symbols {
		if p.takes(s) {
			return s
		}
	}
	return ""
}

// castable reads "Castable expressions", and signs.
func (p *parser) castable() *Node {
	if p.takes("-") {
		return node(Other, "", p.castable())
	}
	n := p.path()
	if p.words("castable", "as") {
		prefix, local := p.qName()
		if functions[prefix+":"+local] != (arity{1, 1}) || prefix != "xs" {
			p.refuse("the type %s:%s is not one that the statements use", prefix, local)
		}
		return node(Other, "", n)
	}
	return n
}
