package xmldoc

import (
	"bytes"
	"strings"
)

// AppendStandalone appends an element so that it is a document of its own, in
// the normal form: with the declarations from further out that it needs.
func (n Node) AppendStandalone(dst []byte) []byte {
	return n.appendInto(dst, nil, scope{})
}

// AppendWithin appends an element so that it can stand where uri is the default
// namespace and no prefix is declared, as inside an element that a store
// constructs. Where the element comes from such a place, as most do, its bytes
// are copied as they are.
func (n Node) AppendWithin(dst []byte, uri string) []byte {
	if n.belongsTo(uri) {
		return append(dst, n.Raw()...)
	}
	escaped := AppendValue(make([]byte, 0, 64), uri)
	var target scope
	target.push(binding{uri: span{0, len(escaped)}})
	return n.appendInto(dst, escaped, target)
}

// belongsTo tells whether an element surely stands as it is where uri is the
// default namespace: it is so where the element stands now, and neither is there
// a declaration in its tag, nor a prefix, for which a colon is taken.
func (n Node) belongsTo(uri string) bool {
	if n.kind != element || bytes.IndexByte(n.Raw(), ':') >= 0 || isDeclaration(n.doc, n.start+1+len(n.tagName())) {
		return false
	}
	there, bound := n.scope.find(n.doc, nil)
	return bound && string(there) == uri && !strings.Contains(uri, "&")
}

// appendInto copies an element to a place where the declarations of target, a
// scope of the bytes of doc, are in force. Declarations that say the same there
// are dropped, and those that the element needs and the place lacks are added.
func (n Node) appendInto(dst, doc []byte, target scope) []byte {
	if n.kind != element {
		return dst
	}
	raw, name := n.Raw(), n.tagName()
	rest := 1 + len(name)
	if n.scope.n == 0 && target.n == 0 {
		return append(dst, raw...)
	}
	dst = append(dst, raw[:rest]...)

	// What is in force inside the element: declarations from further out, then
	// its own. Of one prefix only the innermost counts.
	inside := n.inside()
	hasDefault := false
	for i := range inside.n {
		b := inside.at(i)
		prefix, uri := b.prefix.of(n.doc), b.uri.of(n.doc)
		hasDefault = hasDefault || len(prefix) == 0
		there, bound := target.find(doc, prefix)
		same := bound && bytes.Equal(there, uri) || !bound && len(prefix) == 0 && len(uri) == 0
		foreign := i < n.scope.n && len(prefix) > 0
		if !same && !inside.hides(n.doc, i) && !(foreign && !uses(raw, prefix)) {
			dst = appendDeclaration(dst, prefix, uri)
		}
	}
	if there, bound := target.find(doc, nil); !hasDefault && bound && len(there) > 0 {
		dst = appendDeclaration(dst, nil, nil)
	}

	// The element's own declarations stand first and are written above.
	for isDeclaration(raw, rest) {
		a, ok := attributeAt(raw, rest)
		if !ok {
			break
		}
		rest = a.value.to + 1
	}
	return append(dst, raw[rest:]...)
}

func appendDeclaration(dst, prefix, uri []byte) []byte {
	dst = append(dst, " xmlns"...)
	if len(prefix) > 0 {
		dst = append(append(dst, ':'), prefix...)
	}
	return append(append(append(dst, `="`...), uri...), '"')
}

// hides tells whether a later declaration is of the same prefix as the i-th.
func (s *scope) hides(doc []byte, i int) bool {
	prefix := s.at(i).prefix.of(doc)
	for k := i + 1; k < s.n; k++ {
		if bytes.Equal(s.at(k).prefix.of(doc), prefix) {
			return true
		}
	}
	return false
}

// uses tells whether an element may need a prefix: in a name, or at the
// beginning of a value or text, where XML Schema's type names stand. It errs on
// the side of yes, which costs a needless declaration at the worst.
func uses(raw, prefix []byte) bool {
	for i := 1; ; {
		j := bytes.Index(raw[i:], prefix)
		if j < 0 {
			return false
		}
		i += j + len(prefix)
		if i >= len(raw) {
			return false
		}
		if raw[i] != ':' {
			continue
		}
		switch raw[i-len(prefix)-1] {
		case '<', '/', ' ', '"', '>', '\n', '\t', ';':
			return true
		}
	}
}
