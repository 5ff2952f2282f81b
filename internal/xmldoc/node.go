package xmldoc

import (
	"bytes"
	"iter"
	"strings"
)

// A Node is an element or an attribute of a document in the normal form, or the document itself. It is a value that
// points into the document's bytes, which must not change while it is used. The zero Node means "not found"; all its
// methods may be called.
type Node struct {
	doc   []byte
	start int // at the < of the start tag, or at the first byte of a value
	inner int // past the start tag; the same as start for a value
	end   int // past the end tag or the value, 0 while unknown
	kind  nodeKind
	scope scope // in force outside the element
}

type nodeKind uint8

const (
	none nodeKind = iota
	document
	element
	value
)

// Document returns the node from which paths into a document begin.
func Document(doc []byte) Node {
	return Node{doc: doc, end: len(doc), kind: document}
}

// Root returns the root element.
func Root(doc []byte) Node {
	if len(doc) == 0 || doc[0] != '<' {
		return Node{}
	}
	return Node{doc: doc, inner: tagEnd(doc, 0), end: len(doc), kind: element}
}

// Exists reports whether the node was found.
func (n Node) Exists() bool { return n.kind != none }

// tagEnd returns the offset after the tag that begins at i.
func tagEnd(doc []byte, i int) int {
	if j := bytes.IndexByte(doc[i:], '>'); j >= 0 {
		return i + j + 1
	}
	return len(doc)
}

// elementEnd returns the offset after the end tag of the element whose content begins at i.
func elementEnd(doc []byte, i int) int {
	for depth := 1; ; {
		j := bytes.IndexByte(doc[i:], '<')
		if j < 0 || i+j+1 == len(doc) {
			return len(doc)
		}
		if i += j + 1; doc[i] != '/' {
			depth++
		} else if depth--; depth == 0 {
			return tagEnd(doc, i)
		}
	}
}

func (n Node) stop() int {
	if n.end == 0 && n.kind == element {
		return elementEnd(n.doc, n.inner)
	}
	return n.end
}

// Raw returns the bytes of the node: an element with its tags, or the escaped value of an attribute. Its prefixes may
// be declared in an outer element.
func (n Node) Raw() []byte { return n.doc[n.start:n.stop()] }

// Inner returns the content of an element between its tags, escaped.
func (n Node) Inner() []byte {
	content := n.doc[n.inner:n.stop()]
	if n.kind == element {
		if i := bytes.LastIndexByte(content, '<'); i >= 0 {
			content = content[:i]
		}
	}
	return content
}

// Text returns the text of an element and its descendants, or the value of an attribute, unescaped. It does not copy
// text without markup and references.
func (n Node) Text() []byte { return unescaped(n.Inner()) }

// references are the four names and three numbers that the normal form has.
var references = [...]struct {
	text      string
	character byte
}{
	{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'},
	{"&#13;", '\r'}, {"&#10;", '\n'}, {"&#9;", '\t'},
}

// unescaped returns the text in raw without tags: raw itself if nothing has to be changed. An ampersand that begins no
// reference of the normal form is kept, so that no input is lost.
func unescaped(raw []byte) []byte {
	if bytes.IndexByte(raw, '<') < 0 && bytes.IndexByte(raw, '&') < 0 {
		return raw
	}
	text := make([]byte, 0, len(raw))
next:
	for {
		i := bytes.IndexAny(raw, "<&")
		if i < 0 {
			return append(text, raw...)
		}
		text = append(text, raw[:i]...)
		if raw = raw[i:]; raw[0] == '<' {
			raw = raw[tagEnd(raw, 0):]
			continue
		}
		for _, r := range references {
			if len(raw) >= len(r.text) && string(raw[:len(r.text)]) == r.text {
				text, raw = append(text, r.character), raw[len(r.text):]
				continue next
			}
		}
		text, raw = append(text, '&'), raw[1:]
	}
}

// Is reports whether the node exists and its text is s.
func (n Node) Is(s string) bool {
	return n.Exists() && string(n.Text()) == s
}

// Local returns the name of an element without its prefix.
func (n Node) Local() []byte {
	_, local := splitName(n.tagName())
	return local
}

// Space returns the namespace of an element.
func (n Node) Space() string {
	if n.kind != element {
		return ""
	}
	prefix, _ := splitName(n.tagName())
	inside := n.inside()
	uri, _ := inside.find(n.doc, prefix)
	return string(unescaped(uri))
}

func (n Node) tagName() []byte {
	if n.kind != element {
		return nil
	}
	return nameAt(n.doc, n.start+1)
}

// nameAt returns the name, with prefix, that begins at i and ends before the next space, = or >.
func nameAt(doc []byte, i int) []byte {
	end := i
	for end < len(doc) {
		switch doc[end] {
		case ' ', '>', '=':
			return doc[i:end]
		}
		end++
	}
	return doc[min(i, end):end]
}

func splitName(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i >= 0 { //nolint:modernize // bytes.Cut takes a twentieth of all lookup time more
		return name[:i], name[i+1:]
	}
	return nil, name
}

// Attr returns the attribute of that name in no namespace. A declaration of a namespace is not an attribute.
func (n Node) Attr(name string) Node {
	if name == "xmlns" || strings.Contains(name, ":") {
		return Node{}
	}
	for a := range n.attributes() {
		if string(a.name.of(n.doc)) == name {
			return n.attr(a)
		}
	}
	return Node{}
}

func (n Node) attr(a rawAttribute) Node {
	return Node{doc: n.doc, start: a.value.from, inner: a.value.from, end: a.value.to, kind: value}
}

// rawAttribute is an attribute or a declaration in a start tag.
type rawAttribute struct{ name, value span }

func (n Node) attributes() iter.Seq[rawAttribute] {
	return func(yield func(rawAttribute) bool) {
		if n.kind != element {
			return
		}
		i := n.start + 1 + len(n.tagName())
		for {
			a, ok := attributeAt(n.doc[:n.inner], i)
			if !ok || !yield(a) {
				return
			}
			i = a.value.to + 1
		}
	}
}

// attributeAt reads the attribute whose leading space is at i, if there is one.
func attributeAt(tag []byte, i int) (a rawAttribute, ok bool) {
	if i >= len(tag) || tag[i] != ' ' {
		return a, false
	}
	i++
	equals := bytes.IndexByte(tag[i:], '=')
	if equals < 0 || i+equals+2 > len(tag) {
		return a, false
	}
	from := i + equals + len(`="`)
	length := bytes.IndexByte(tag[from:], '"')
	if length < 0 {
		return a, false
	}
	return rawAttribute{span{i, i + equals}, span{from, from + length}}, true
}
