package xquery

import (
	"strings"
	"unicode"
)

// primary reads "Primary expressions"; nil if a node test follows.
func (p *parser) primary() *Node {
	p.skip()
	if p.at >= len(p.text) {
		p.refuse("an expression expected")
	}
	from, c := p.at, p.text[p.at]
	switch {
	case c == '"' || c == '\'':
		return &Node{Kind: Literal, Pos: from, Text: p.stringLiteral()}
	case c >= '0' && c <= '9', c == '.' && p.at+1 < len(p.text) && unicode.IsDigit(rune(p.text[p.at+1])):
		return p.number()
	case c == '$':
		p.at++
		prefix, local := p.qName()
		if prefix != "" {
			local = prefix + ":" + local
		}
		return &Node{Kind: Variable, Pos: from, Text: local}
	case c == '.':
		p.at++
		return &Node{Kind: Context, Pos: from}
	case strings.HasPrefix(p.text[p.at:], "(#"):
		p.refuse("pragmas are not in Db2's XQuery")
	case c == '(':
		p.at++
		n := &Node{Kind: Sequence, Pos: from}
		if !p.sees(")") {
			n = p.expr()
		}
		p.want(")")
		return n
	case c == '<':
		return p.direct()
	case c == '[', c == '%', c == '`', c == '?':
		p.refuse("%q: arrays, annotations, string templates and lookups are not in Db2's XQuery", p.ahead())
	}
	if n := p.computed(); n != nil {
		return n
	}
	return p.call()
}

func (p *parser) number() *Node {
	from := p.at
	digits := func() {
		for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
			p.at++
		}
	}
	digits()
	if p.at < len(p.text) && p.text[p.at] == '.' {
		p.at++
		digits()
	}
	if p.at < len(p.text) && (p.text[p.at] == 'e' || p.text[p.at] == 'E') {
		p.at++
		if p.at < len(p.text) && strings.ContainsRune("+-", rune(p.text[p.at])) {
			p.at++
		}
		digits()
	}
	return &Node{Kind: Literal, Pos: from, Text: p.text[from:p.at]}
}

// call reads a call of a function; nil if something else follows.
func (p *parser) call() *Node {
	from := p.at
	if p.text[p.at] == '*' || p.ncName() == "" {
		p.at = from
		return nil
	}
	p.at = from
	for _, kind := range kindTests {
		if p.before(kind, "(") {
			return nil
		}
	}
	prefix, local := p.qName()
	if p.sees("#") {
		p.refuse("references to functions are not in Db2's XQuery")
	}
	if prefix == "Q" || local == "Q" && p.sees("{") {
		p.refuse("names as Q{…} are not in Db2's XQuery")
	}
	if !p.sees("(") || p.sees("(:") {
		p.at = from
		return nil
	}
	n := &Node{Kind: Call, Pos: from, Name: Name{p.scope.function, local}}
	if prefix != "" {
		n.Name.URI = p.uri(prefix)
	}
	p.want("(")
	for more := !p.sees(")"); more; more = p.takes(",") {
		n.Kids = append(n.Kids, p.single())
	}
	p.want(")")
	return n
}
