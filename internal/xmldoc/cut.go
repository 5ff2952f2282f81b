package xmldoc

import (
	"bytes"
	"strings"
)

// AppendStandalone appends an element as a document of its own, in the normal form: with the declarations of outer
// elements that it needs.
func (n Node) AppendStandalone(dst []byte) []byte {
	return n.appendInto(dst, nil, scope{})
}

// AppendWithin appends an element for a parent in which uri is the default namespace and no prefix is declared, such
// as the root of a response. Most elements have that default already and no prefix; their bytes are copied unchanged.
func (n Node) AppendWithin(dst []byte, uri string) []byte {
	if n.kind == element && bytes.IndexByte(n.Raw(), ':') < 0 && !isDeclaration(n.doc, n.start+1+len(n.tagName())) {
		// Its tag has no declaration, and there is no colon, which could mean a prefix.
		if parentURI, bound := n.scope.find(n.doc, nil); bound && string(parentURI) == uri && !strings.Contains(uri, "&") {
			return append(dst, n.Raw()...)
		}
	}
	escaped := appendEscaped(make([]byte, 0, 64), uri, true)
	var target scope
	target.push(binding{uri: span{0, len(escaped)}})
	return n.appendInto(dst, escaped, target)
}

// appendInto appends an element for a parent with the declarations of target, a scope in the bytes of doc. It leaves
// out declarations that are the same there, and adds those that the element needs and the parent lacks.
func (n Node) appendInto(dst, doc []byte, target scope) []byte {
	if n.kind != element {
		return dst
	}
	raw, rest := n.Raw(), 1+len(n.tagName())
	if n.scope.n == 0 && target.n == 0 {
		return append(dst, raw...)
	}
	dst = append(dst, raw[:rest]...)

	// In scope inside the element: declarations of outer elements, then its own. Of one prefix only the innermost counts.
	inside := n.scope
	behind := inside.enter(n.doc, n.start+rest) - n.start
	hasDefault := false
	for i := range inside.n {
		b := inside.at(i)
		prefix, uri := b.prefix.of(n.doc), b.uri.of(n.doc)
		hasDefault = hasDefault || len(prefix) == 0
		targetURI, bound := target.find(doc, prefix)
		same := bound && bytes.Equal(targetURI, uri) || !bound && len(prefix) == 0 && len(uri) == 0
		hidden := false
		for k := i + 1; k < inside.n && !hidden; k++ {
			hidden = bytes.Equal(inside.at(k).prefix.of(n.doc), prefix)
		}
		if outer := i < n.scope.n && len(prefix) > 0; !same && !hidden && (!outer || uses(raw, prefix)) {
			dst = appendDeclaration(dst, prefix, uri)
		}
	}
	if targetURI, bound := target.find(doc, nil); !hasDefault && bound && len(targetURI) > 0 {
		dst = appendDeclaration(dst, nil, nil)
	}
	return append(dst, raw[min(behind, len(raw)):]...)
}

func appendDeclaration(dst, prefix, uri []byte) []byte {
	dst = append(dst, " xmlns"...)
	if len(prefix) > 0 {
		dst = append(append(dst, ':'), prefix...)
	}
	return append(append(append(dst, `="`...), uri...), '"')
}

// uses reports whether an element may use a prefix: in a name, or in a value or text that may name a type, as in
// xsi:type="p:t". If in doubt it returns true, which costs at worst a needless declaration.
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
