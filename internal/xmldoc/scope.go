package xmldoc

import "bytes"

// A scope holds the namespace declarations in scope at one offset of a document, as offsets into it. It is copied with
// every node; it allocates only for more than three declarations.
type scope struct {
	n    int
	few  [3]binding
	more []binding
}

type binding struct{ prefix, uri span }

func (s *scope) at(i int) binding {
	if i < len(s.few) {
		return s.few[i]
	}
	return s.more[i-len(s.few)]
}

func (s *scope) push(b binding) {
	if s.n < len(s.few) {
		s.few[s.n] = b
	} else {
		// Always a new array: nodes may hold the old one.
		k := s.n - len(s.few)
		s.more = append(s.more[:k:k], b)
	}
	s.n++
}

// binding returns the innermost declaration of a prefix, zero if there is none.
func (s *scope) binding(doc, prefix []byte) (b binding, bound bool) {
	for i := s.n - 1; i >= 0; i-- {
		if b := s.at(i); bytes.Equal(b.prefix.of(doc), prefix) {
			return b, true
		}
	}
	return binding{}, false
}

// find returns the URI that a prefix is bound to, escaped as in doc.
func (s *scope) find(doc, prefix []byte) (uri []byte, bound bool) {
	if b, bound := s.binding(doc, prefix); bound {
		return b.uri.of(doc), true
	}
	if string(prefix) == "xml" {
		return []byte(xmlURI), true // by definition, without a declaration
	}
	return nil, false
}

// enter adds the declarations of the start tag whose name ends at i, and returns where its other attributes begin. In
// the normal form declarations come first, so that most tags cost one comparison.
func (s *scope) enter(doc []byte, i int) (rest int) {
	for isDeclaration(doc, i) {
		a, ok := attributeAt(doc, i)
		if !ok {
			break
		}
		b := binding{uri: a.value}
		if doc[i+len(" xmlns")] == ':' {
			b.prefix = span{a.name.from + len("xmlns:"), a.name.to}
		}
		s.push(b)
		i = a.value.to + 1
	}
	return i
}

func isDeclaration(doc []byte, i int) bool {
	const start = " xmlns"
	if len(doc)-i <= len(start) || string(doc[i:i+len(start)]) != start {
		return false
	}
	c := doc[i+len(start)]
	return c == '=' || c == ':'
}

// inside returns the scope within an element, which includes its own declarations.
func (n Node) inside() scope {
	s := n.scope
	if n.kind == element {
		s.enter(n.doc, n.start+1+len(n.tagName()))
	}
	return s
}
