package xquery

import "strings"

// computed reads "Constructors" that are written in words; nil if there is
// none.
func (p *parser) computed() *Node {
	for _, word := range []string{"document", "text", "comment"} {
		if p.before(word, "{") {
			n := &Node{Kind: Constructor, Pos: p.at}
			p.wantWord(word)
			n.Kids = append(n.Kids, p.enclosed()...)
			return n
		}
	}
	for _, word := range []string{"element", "attribute", "processing-instruction"} {
		n := &Node{Kind: Constructor, Pos: p.at}
		if p.before(word, "{") {
			p.wantWord(word)
			n.Kids = append(n.Kids, p.enclosed()...)
		} else if at := p.at; p.takesWords(word) {
			p.skip()
			if name := p.ncName(); name == "" {
				p.at = at
				continue
			}
			if p.at < len(p.text) && p.text[p.at] == ':' {
				p.at++
				p.ncName()
			}
			if !p.sees("{") {
				p.at = at
				continue
			}
		} else {
			continue
		}
		n.Kids = append(n.Kids, p.enclosed()...)
		return n
	}
	return nil
}

// enclosed reads an expression in braces, which may be empty.
func (p *parser) enclosed() (content []*Node) {
	p.want("{")
	if !p.sees("}") {
		content = append(content, p.expr())
	}
	p.want("}")
	return content
}

// direct reads an element that is written as XML.
func (p *parser) direct() *Node {
	n := &Node{Kind: Constructor, Pos: p.at}
	outer := p.scope
	defer func() { p.scope = outer }()
	for _, other := range []string{"<!--", "<?"} {
		if strings.HasPrefix(p.text[p.at:], other) {
			p.refuse("constructors of comments and processing instructions: use none, documents have none")
		}
	}
	p.at++
	prefix, local := p.rawName()
	for p.space(); !p.raw("/>") && !p.raw(">"); p.space() {
		p.attribute(n)
	}
	n.Name = p.elementName(prefix, local)
	if p.text[p.at-2:p.at] == "/>" {
		return n
	}
	for !p.raw("</") {
		p.content(n)
	}
	if endPrefix, endLocal := p.rawName(); endPrefix != prefix || endLocal != local {
		p.refuse("</%s> ends <%s>", endLocal, local)
	}
	p.space()
	if !p.raw(">") {
		p.refuse("> expected, not %q", p.ahead())
	}
	return n
}

func (p *parser) rawName() (prefix, local string) {
	local = p.ncName()
	if p.raw(":") {
		prefix, local = local, p.ncName()
	}
	if local == "" {
		p.refuse("a name expected, not %q", p.ahead())
	}
	return prefix, local
}

// raw consumes a text, without skipping white space before it.
func (p *parser) raw(text string) bool {
	if !strings.HasPrefix(p.text[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.ContainsRune(" \t\r\n", rune(p.text[p.at])) {
		p.at++
	}
}

// attribute reads an attribute of an element that is written as XML.
func (p *parser) attribute(n *Node) {
	prefix, local := p.rawName()
	p.space()
	if !p.raw("=") {
		p.refuse("= expected, not %q", p.ahead())
	}
	p.space()
	quote := p.text[p.at : p.at+1]
	if quote != `"` && quote != "'" {
		p.refuse("a value in quotes expected, not %q", p.ahead())
	}
	p.at++
	from := p.at
	for !p.raw(quote) {
		p.content(n)
	}
	switch value := p.text[from : p.at-1]; {
	case prefix == "" && local == "xmlns":
		p.scope = p.scope.with("", value)
	case prefix == "xmlns":
		p.scope = p.scope.with(local, value)
	default:
		p.attributeName(prefix, local)
	}
}

// content reads a character, an expression or an element within an element.
func (p *parser) content(n *Node) {
	switch {
	case p.at >= len(p.text):
		p.refuse("an element does not end")
	case p.raw("{{"), p.raw("}}"):
	case p.text[p.at] == '{':
		n.Kids = append(n.Kids, p.enclosed()...)
	case p.text[p.at] == '}':
		p.refuse("} in an element is written as }}")
	case p.raw("<![CDATA["):
		end := strings.Index(p.text[p.at:], "]]>")
		if end < 0 {
			p.refuse("a CDATA section does not end")
		}
		p.at += end + 3
	case p.text[p.at] == '<':
		n.Kids = append(n.Kids, p.direct())
	default:
		p.at++
	}
}
