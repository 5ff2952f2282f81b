package xmldoc

import (
	"bytes"
	"strconv"
)

// Canonical returns the same bytes for two documents in the normal form if, and only if, their names, namespaces,
// prefixes, attributes and text are the same, in the same order, wherever namespaces are declared. The result is the
// document with each namespace declared where it is used, as in exclusive canonicalisation; a namespace that was
// declared before is written as a number, so that long names do not add up. A document that already has that form, as
// most have, is returned unchanged.
func Canonical(doc []byte) []byte {
	// The document certainly has that form if its root has no prefix and declares its own namespace, which is not empty,
	// and there is no other declaration.
	name := nameAt(doc, min(1, len(doc)))
	if at := 1 + len(name); bytes.IndexByte(name, ':') < 0 && isDeclaration(doc, at) && doc[at+len(" xmlns")] == '=' {
		a, ok := attributeAt(doc, at)
		if ok && a.value.to > a.value.from && !bytes.Contains(doc[a.value.to:], []byte("xmlns")) {
			return doc
		}
	}
	return canonical(doc, make(map[string]int))
}

// AttrLast returns doc, which is in the normal form, with the named attribute of its root moved after all others. It
// returns doc itself if there is nothing to move.
func AttrLast(doc []byte, name string) []byte {
	end := max(tagEnd(doc, 0)-len(">"), 0)
	if !bytes.Contains(doc[:end], []byte(" "+name+`="`)) {
		return doc
	}
	for at := 1 + len(nameAt(doc, 1)); ; {
		a, ok := attributeAt(doc[:end], at)
		past := a.value.to + 1
		switch {
		case !ok || string(a.name.of(doc)) == name && past == end:
			return doc
		case string(a.name.of(doc)) == name:
			moved := append(append(make([]byte, 0, len(doc)), doc[:at]...), doc[past:end]...)
			return append(append(moved, doc[at:past]...), doc[end:]...)
		}
		at = past
	}
}

// canonical returns the canonical form. Repeated namespaces become their numbers in known, or stay if that map is nil.
func canonical(doc []byte, known map[string]int) []byte {
	var levels [MaxDepth]struct{ in, out int } // how many declarations are in scope outside each open element
	var in, out scope
	dst, depth := make([]byte, 0, len(doc)+len(doc)/8), 0
	for i := 0; ; {
		j := bytes.IndexByte(doc[i:], '<')
		if j < 0 || i+j+1 == len(doc) {
			return append(dst, doc[i:]...)
		}
		dst = append(dst, doc[i:i+j]...)
		i += j
		end := tagEnd(doc, i)
		if doc[i+1] == '/' {
			depth = max(depth-1, 0)
			in.n, out.n = levels[depth].in, levels[depth].out
			dst, i = append(dst, doc[i:end]...), end
			continue
		}
		if depth == MaxDepth { // the document is not in the normal form
			return append(dst, doc[i:]...)
		}
		levels[depth].in, levels[depth].out = in.n, out.n
		depth++
		name := nameAt(doc, i+1)
		rest := i + 1 + len(name)
		rest = min(in.enter(doc[:end], rest), end)
		dst = append(append(dst, '<'), name...)
		prefix, _ := splitName(name)
		dst = declareFor(dst, doc, prefix, &in, &out, known)
		for at := rest; ; {
			a, ok := attributeAt(doc[:end], at)
			if !ok {
				break
			}
			if prefix, _ := splitName(a.name.of(doc)); prefix != nil {
				dst = declareFor(dst, doc, prefix, &in, &out, known)
			}
			at = a.value.to + 1
		}
		dst, i = append(dst, doc[rest:end]...), end
	}
}

// declareFor declares the namespace of a prefix, unless it is declared already.
func declareFor(dst, doc, prefix []byte, in, out *scope, known map[string]int) []byte {
	if string(prefix) == "xml" {
		return dst // declared by definition
	}
	b, _ := in.binding(doc, prefix)
	declared, _ := out.binding(doc, prefix)
	uri := b.uri.of(doc)
	if bytes.Equal(uri, declared.uri.of(doc)) {
		return dst
	}
	out.push(b)
	if n, again := known[string(uri)]; again {
		return strconv.AppendInt(append(append(append(dst, " xmlns:"...), prefix...), '='), int64(n), 10)
	}
	if known != nil {
		known[string(uri)] = len(known)
	}
	return appendDeclaration(dst, prefix, uri)
}
