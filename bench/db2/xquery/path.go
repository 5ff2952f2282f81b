package xquery

import "strings"

// path reads steps with slashes between them; one expression alone is no path.
func (p *parser) path() *Node {
	n := &Node{Kind: Path, Rooted: p.takes("/")}
	for more := true; more; more = p.takes("/") {
		n.Steps = append(n.Steps, p.step())
	}
	if only := n.Steps[0]; len(n.Steps) == 1 && !n.Rooted && only.Expr != nil && len(only.Predicates) == 0 {
		return only.Expr
	}
	return n
}

func (p *parser) step() (s Step) {
	switch {
	case p.takes("@"):
		prefix, local := p.qName()
		s.Name = "@{" + p.namespace(prefix, "") + "}" + local
	case p.takes("*"):
		s.Name = "*"
	default:
		if s.Expr = p.primary(); s.Expr == nil {
			prefix, local := p.qName()
			s.Name = "{" + p.namespace(prefix, p.element) + "}" + local
		}
	}
	for p.takes("[") {
		s.Predicates = append(s.Predicates, p.expr())
		p.want("]")
	}
	return s
}

// namespace returns the namespace of a prefix, or another for an empty prefix.
func (p *parser) namespace(prefix, otherwise string) string {
	if prefix == "" {
		return otherwise
	}
	uri, declared := p.prefixes[prefix]
	if !declared {
		p.refuse("the prefix %s is not declared", prefix)
	}
	return uri
}

// primary reads "Primary expressions" and "Constructors", or returns nil where a name follows.
func (p *parser) primary() *Node {
	p.skip()
	if p.at == len(p.text) {
		p.refuse("an expression expected")
	}
	switch c := p.text[p.at]; {
	case c == '"' || c == '\'':
		p.stringLiteral()
		return &Node{}
	case c >= '0' && c <= '9':
		p.at += len(p.text[p.at:]) - len(strings.TrimLeft(p.text[p.at:], "0123456789."))
		return &Node{}
	case p.takes("$"):
		_, name := p.qName()
		return &Node{Kind: Variable, Text: name}
	case p.takes("."):
		return &Node{Kind: Context}
	case p.takes("("):
		n := &Node{}
		if !p.sees(")") {
			n = p.expr()
		}
		p.want(")")
		return n
	case c == '<':
		return p.direct()
	}
	if n := p.attribute(); n != nil {
		return n
	}
	return p.call()
}

// arity is how many arguments a function takes.
type arity struct{ least, most int }

// functions are those that the statements call. All are among "Db2 XQuery functions by category" or "Constructor
// functions" of the manual.
var functions = map[string]arity{
	"fn:concat": {2, 1 << 20}, "fn:count": {1, 1}, "fn:floor": {1, 1}, "fn:max": {1, 1}, "fn:string": {1, 1},
	"fn:substring": {2, 3}, "fn:true": {0, 0}, "xs:decimal": {1, 1}, "xs:integer": {1, 1}, "xs:long": {1, 1},
}

// call reads a call of a function, or returns nil where something else follows.
func (p *parser) call() *Node {
	from := p.at
	prefix, local := p.qName()
	if !p.takes("(") {
		p.at = from
		return nil
	}
	n := &Node{Kind: Call, Text: prefix + ":" + local}
	for more := !p.sees(")"); more; more = p.takes(",") {
		n.Kids = append(n.Kids, p.single())
	}
	p.want(")")
	known, ok := functions[n.Text]
	if given := len(n.Kids); !ok || given < known.least || given > known.most {
		p.refuse("the function %s with %d arguments is not one that the statements use", n.Text, given)
	}
	return n
}

// attribute reads an attribute as a computed constructor, or returns nil where something else follows.
func (p *parser) attribute() *Node {
	from := p.at
	if p.words("attribute") {
		if p.skip(); p.name() != "" && p.sees("{") {
			return p.enclosed()
		}
	}
	p.at = from
	return nil
}

// enclosed reads an expression in braces.
func (p *parser) enclosed() *Node {
	p.want("{")
	n := p.expr()
	p.want("}")
	return n
}

// direct reads an element that is written as XML, without declarations of namespaces.
func (p *parser) direct() *Node {
	n := &Node{}
	p.want("<")
	name := p.name()
	if name == "" {
		p.refuse("an element expected, not %q", p.ahead())
	}
	for !p.takes("/>") {
		if p.raw(">") {
			for !p.raw("</" + name) {
				p.content(n)
			}
			p.want(">")
			break
		}
		if attribute := p.name(); attribute == "" || attribute == "xmlns" {
			p.refuse("an attribute expected, not %q", p.ahead())
		}
		p.want("=")
		for p.want(`"`); !p.raw(`"`); {
			p.content(n)
		}
	}
	return n
}

// content reads a character, an expression or an element within an element or an attribute.
func (p *parser) content(n *Node) {
	switch {
	case p.at == len(p.text) || p.text[p.at] == '}':
		p.refuse("an element does not end")
	case p.text[p.at] == '{':
		n.Kids = append(n.Kids, p.enclosed())
	case p.text[p.at] == '<':
		n.Kids = append(n.Kids, p.direct())
	default:
		p.at++
	}
}
