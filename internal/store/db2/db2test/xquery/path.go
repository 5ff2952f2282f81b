package xquery

import "slices"

// axes are the axes of the page "Axes"; Db2 lacks the optional ones
// (SQL16007N).
var axes = []string{"child", "descendant", "attribute", "self", "descendant-or-self", "parent"}

// kindTests are the kind tests of "Node tests".
var kindTests = []string{"node", "text", "comment", "processing-instruction", "document-node", "element", "attribute"}

// path reads steps with slashes between them; one expression alone is no path.
func (p *parser) path() *Node {
	p.skip()
	n := &Node{Kind: Path, Pos: p.at}
	anywhere := Step{Axis: "descendant-or-self", Test: Test{Kind: "node"}}
	switch {
	case p.takes("//"):
		n.Rooted = true
		n.Steps = append(n.Steps, anywhere)
	case p.takes("/"):
		n.Rooted = true
		if !p.stepComes() {
			return n
		}
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

// stepComes reports whether a step comes next; otherwise a slash stands alone.
func (p *parser) stepComes() bool {
	at := p.at
	defer func() { p.at = at }()
	return p.sees("@") || p.sees("*") || p.sees(".") || p.sees("$") || p.sees("(") || p.ncName() != ""
}

func (p *parser) step() (s Step) {
	p.skip()
	switch {
	case p.takes(".."):
		s = Step{Axis: "parent", Test: Test{Kind: "node"}}
	case p.takes("@"):
		s = Step{Axis: "attribute", Test: p.test("attribute")}
	default:
		if axis := p.axis(); axis != "" {
			s = Step{Axis: axis, Test: p.test(axis)}
		} else if primary := p.primary(); primary != nil {
			s = Step{Expr: primary}
		} else {
			s = Step{Axis: "child", Test: p.test("child")}
			if s.Test.Kind == "attribute" {
				s.Axis = "attribute"
			}
		}
	}
	for p.takes("[") {
		s.Predicates = append(s.Predicates, p.expr())
		p.want("]")
	}
	if s.Expr != nil && (p.sees("(") || p.sees("?")) && s.Expr.Kind != Literal {
		p.refuse("calls of items and lookups are not in Db2's XQuery")
	}
	return s
}

// axis consumes a named axis if one is next.
func (p *parser) axis() string {
	at := p.at
	name := p.ncName()
	if name == "" || !p.takes("::") {
		p.at = at
		return ""
	}
	if !slices.Contains(axes, name) {
		p.refuse("the axis %s is not in Db2's XQuery (SQL16007N)", name)
	}
	return name
}

// test reads a node test.
func (p *parser) test(axis string) Test {
	p.skip()
	name := p.attributeName
	if axis != "attribute" {
		name = p.elementName
	}
	if p.takes("*") {
		if p.at < len(p.text) && p.text[p.at] == ':' {
			p.at++
			return Test{Name: Name{"*", p.ncName()}}
		}
		return Test{Name: Name{"*", "*"}}
	}
	for _, kind := range kindTests {
		if p.before(kind, "(") {
			return p.kindTest(kind)
		}
	}
	prefix, local := p.qName()
	if prefix == "" && p.at+1 < len(p.text) && p.text[p.at] == ':' && p.text[p.at+1] == '*' {
		p.at += 2
		return Test{Name: Name{p.uri(local), "*"}}
	}
	return Test{Name: name(prefix, local)}
}

func (p *parser) kindTest(kind string) Test {
	p.wantWord(kind)
	p.want("(")
	t := Test{Kind: kind, Name: Name{"*", "*"}}
	if !p.sees(")") && !p.takes("*") {
		if kind != "element" && kind != "attribute" && kind != "processing-instruction" {
			p.refuse("%s(…) with something in it is not in Db2's XQuery", kind)
		}
		prefix, local := p.qName()
		t.Name = Name{"", local}
		if kind == "element" {
			t.Name = p.elementName(prefix, local)
		} else if kind == "attribute" {
			t.Name = p.attributeName(prefix, local)
		}
	}
	p.want(")")
	return t
}
