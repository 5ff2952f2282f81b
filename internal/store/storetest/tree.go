package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/beevik/etree"
)

// An element is a document as the reference sees it: a plain tree with expanded names and without prefixes.
type element struct {
	space, name string
	attrs       map[string]string // by local name, or {namespace}local
	content     []any             // *element or string
}

// parse reads a document with another parser than the service's.
func parse(doc []byte) (*element, error) {
	d := etree.NewDocument()
	if err := d.ReadFromBytes(doc); err != nil {
		return nil, fmt.Errorf("not well-formed: %w", err)
	}
	if d.Root() == nil {
		return nil, fmt.Errorf("no root element in %.80q", doc)
	}
	return treeOf(d.Root()), nil
}

func treeOf(from *etree.Element) *element {
	n := &element{space: from.NamespaceURI(), name: from.Tag, attrs: map[string]string{}}
	for _, a := range from.Attr {
		switch {
		case a.Space == "xmlns" || a.Space == "" && a.Key == "xmlns":
		case a.Space == "":
			n.attrs[a.Key] = a.Value
		default:
			n.attrs["{"+a.NamespaceURI()+"}"+a.Key] = a.Value
		}
	}
	for _, token := range from.Child {
		switch c := token.(type) {
		case *etree.Element:
			n.content = append(n.content, treeOf(c))
		case *etree.CharData:
			// Adjacent runs of text, as around an entity, are one text.
			if last := len(n.content) - 1; last >= 0 {
				if s, ok := n.content[last].(string); ok {
					n.content[last] = s + c.Data
					continue
				}
			}
			n.content = append(n.content, c.Data)
		}
	}
	return n
}

// build makes an element of attributes (name, value, ...) and content: elements, lists of them, and texts. Nil and ""
// are left out.
func build(space, name string, attrs []string, content ...any) *element {
	n := &element{space: space, name: name, attrs: map[string]string{}}
	for i := 0; i+1 < len(attrs); i += 2 {
		n.attrs[attrs[i]] = attrs[i+1]
	}
	for _, c := range content {
		switch c := c.(type) {
		case *element:
			if c != nil {
				n.content = append(n.content, c)
			}
		case []*element:
			for _, e := range c {
				n.content = append(n.content, e)
			}
		case string:
			if c != "" {
				n.content = append(n.content, c)
			}
		}
	}
	return n
}

func (n *element) children(name string) (found []*element) {
	if n == nil {
		return nil
	}
	for _, c := range n.content {
		if e, ok := c.(*element); ok && e.space == n.space && (e.name == name || name == "*") {
			found = append(found, e)
		}
	}
	return found
}

// child follows the first child of each name downwards.
func (n *element) child(names ...string) *element {
	for _, name := range names {
		found := n.children(name)
		if len(found) == 0 {
			return nil
		}
		n = found[0]
	}
	return n
}

func (n *element) text() string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for _, c := range n.content {
		switch c := c.(type) {
		case string:
			b.WriteString(c)
		case *element:
			b.WriteString(c.text())
		}
	}
	return b.String()
}

func (n *element) setText(s string) { n.content = []any{s} }

func (n *element) add(child *element) { n.content = append(n.content, child) }

func (n *element) remove(child *element) {
	n.content = slices.DeleteFunc(n.content, func(c any) bool { return c == any(child) })
}

// clone copies a tree, so that the reference can edit it.
func (n *element) clone() *element {
	c := &element{space: n.space, name: n.name, attrs: maps.Clone(n.attrs)}
	for _, x := range n.content {
		if e, ok := x.(*element); ok {
			x = e.clone()
		}
		c.content = append(c.content, x)
	}
	return c
}

// String returns the canonical form: a line for each tag and text, with expanded names and sorted attributes. White
// space between elements is left out, except in mixed content, as in the descriptions of securities.
func (n *element) String() string {
	var b strings.Builder
	n.write(&b, "", false)
	return b.String()
}

func (n *element) write(b *strings.Builder, indent string, mixed bool) {
	fmt.Fprintf(b, "%s{%s}%s\n", indent, n.space, n.name)
	for _, name := range slices.Sorted(maps.Keys(n.attrs)) {
		fmt.Fprintf(b, "%s  @%s=%q\n", indent, name, n.attrs[name])
	}
	mixed = mixed || n.name == "Description"
	elements, says := 0, mixed
	for _, c := range n.content {
		switch c := c.(type) {
		case *element:
			elements++
		case string:
			says = says || strings.Trim(c, " \t\r\n") != ""
		}
	}
	for _, c := range n.content {
		switch c := c.(type) {
		case *element:
			c.write(b, indent+"  ", mixed)
		case string:
			if (elements == 0 || says) && c != "" {
				fmt.Fprintf(b, "%s  %q\n", indent, c)
			}
		}
	}
}

// Canonical returns the canonical form of a document, and a text that is not a document unchanged.
func Canonical(doc string) string {
	root, err := parse([]byte(doc))
	if err != nil {
		return doc
	}
	return root.String()
}
