package xquery

import "slices"

// transform reads "Transform expression": copy, modify, return, with or without
// the word transform.
func (p *parser) transform() *Node {
	p.skip()
	n := &Node{Kind: Transform, Pos: p.at}
	if from := p.at; p.takesWords("transform") {
		p.edits = append(p.edits, edit{from, p.at, ""})
	}
	p.wantWord("copy")
	for more := true; more; more = p.takes(",") {
		n.Kids = append(n.Kids, p.binding(false))
	}
	p.wantWord("modify")
	modify := p.single()
	if !updating(modify) {
		p.refuse("modify without an updating expression (SQL16081N)")
	}
	p.wantWord("return")
	n.Kids = append(n.Kids, modify, p.single())
	return n
}

// updating reports whether an expression is an updating one: an update, or a
// FLWOR, a conditional or a list of them ("Use of updating expressions in a
// transform expression").
func updating(n *Node) bool {
	switch n.Kind {
	case Update:
		return true
	case FLWOR, If, Sequence:
		return slices.ContainsFunc(n.Kids, updating)
	default:
		return false
	}
}

// update reads "Insert expression", "Delete expression", "Replace expression"
// and "Rename expression". The differences from the W3C's syntax are recorded
// as edits.
func (p *parser) update() *Node {
	p.skip()
	from := p.at
	p.wantWord("do")
	n := &Node{Kind: Update, Pos: from}
	become := func(words string) { p.edits = append(p.edits, edit{from, p.at, words}) }
	switch {
	case p.takesWords("insert"):
		become("insert nodes")
		n.Text = "insert"
		n.Kids = append(n.Kids, p.single())
		if !p.takesWords("as", "first", "into") && !p.takesWords("as", "last", "into") && !p.takesWords("into") &&
			!p.takesWords("before") && !p.takesWords("after") {
			p.refuse("into, before or after expected, not %q", p.ahead())
		}
		n.Kids = append(n.Kids, p.single())
	case p.takesWords("delete"):
		become("delete nodes")
		n.Text = "delete"
		n.Kids = append(n.Kids, p.single())
	case p.takesWords("replace", "value", "of"):
		become("replace value of node")
		n.Text = "replace value of"
		n.Kids = append(n.Kids, p.single())
		p.wantWord("with")
		n.Kids = append(n.Kids, p.single())
	case p.takesWords("replace"):
		become("replace node")
		n.Text = "replace"
		n.Kids = append(n.Kids, p.single())
		p.wantWord("with")
		n.Kids = append(n.Kids, p.single())
	case p.takesWords("rename"):
		become("rename node")
		n.Text = "rename"
		n.Kids = append(n.Kids, p.single())
		p.wantWord("as")
		n.Kids = append(n.Kids, p.single())
	default:
		p.refuse("insert, delete, replace or rename expected after do, not %q", p.ahead())
	}
	return n
}
