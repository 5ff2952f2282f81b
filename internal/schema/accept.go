package schema

import "bytes"

// The engine would take the largest part of a validated write. Nearly all documents are valid and written in the usual
// way, and an automaton made for their schema recognises them in a small part of the time. Its other answer is not
// "invalid" but "don't know": prefixes, unusual numbers and everything that is invalid are left to the engine.
//
// Of documents in the normal form, it must never accept one that the engine refuses. FuzzAccept looks for such a
// document, and tests try tens of thousands of damaged ones.

// Larger and deeper documents are left to the engine, whose limits (schema.go) are above these.
const (
	maxAccepted = 1_000_000
	maxNesting  = 16
)

// accept reports whether a document is surely valid. It allocates nothing. The functions below return the offset after
// what they have read, or -1 if they don't know.
func (a *automaton) accept(doc []byte) bool {
	if len(doc) > maxAccepted {
		return false
	}
	at, here := 0, a.document
	var open [maxNesting]*child
	depth := 0
	for {
		at = here.skipText(doc, at)
		if at+1 >= len(doc) || doc[at] != '<' {
			return false
		}
		if doc[at+1] == '/' {
			// Something is open then, because nothing ends before the document element has come.
			if !here.final {
				return false
			}
			depth--
			at = skipEndTag(doc, at, open[depth].name)
			here = open[depth].next
		} else {
			c := here.child(doc[at+1:])
			if c == nil {
				return false
			}
			at = c.shape.readAttributes(doc, at+1+len(c.name))
			if at >= 0 && c.shape.content == childContent {
				if depth == maxNesting {
					return false
				}
				open[depth] = c
				depth++
				here = c.shape.first
				continue
			}
			at = c.skipContent(doc, at)
			here = c.next
		}
		if at < 0 {
			return false
		}
		if depth == 0 {
			return at == len(doc)
		}
	}
}

// skipText returns the offset after the text that the state allows, which may be none.
func (s *state) skipText(doc []byte, at int) int {
	if !s.mixed {
		return skipSpace(doc, at)
	}
	if n := bytes.IndexByte(doc[at:], '<'); n >= 0 {
		return at + n
	}
	return len(doc)
}

// skipSpace returns the offset of the first byte from at on that is not white space, or len(doc).
func skipSpace(doc []byte, at int) int {
	for at < len(doc) && (doc[at] == ' ' || doc[at] == '\n' || doc[at] == '\t') {
		at++
	}
	return at
}

// child returns the element whose start tag follows, after the bracket, nil if the state allows no such element. Most
// states allow one or two, so a linear search is the fastest.
func (s *state) child(tag []byte) *child {
	for i := range s.children {
		c := &s.children[i]
		if n := len(c.name); len(tag) > n && string(tag[:n]) == c.name && (tag[n] == '>' || tag[n] == ' ') {
			return c
		}
	}
	return nil
}

// skipContent reads what follows the start tag of an element that has no child elements.
func (c *child) skipContent(doc []byte, at int) int {
	if at >= 0 && c.shape.content == textContent {
		at = c.shape.value.read(doc, at, '<')
	}
	if at < 0 {
		return -1
	}
	return skipEndTag(doc, at, c.name)
}

func skipEndTag(doc []byte, at int, name string) int {
	from := at + len("</")
	to := from + len(name)
	if to >= len(doc) || doc[at] != '<' || doc[at+1] != '/' || string(doc[from:to]) != name || doc[to] != '>' {
		return -1
	}
	return to + 1
}

// readAttributes reads a start tag after the name.
func (s *shape) readAttributes(doc []byte, at int) int {
	seen, needed := uint64(0), s.required
	for at < len(doc) && doc[at] == ' ' {
		from := at + 1
		to := from
		for to < len(doc) && doc[to] != '=' {
			to++
		}
		a := s.attributes[string(doc[from:to])]
		if a == nil || to+len(`="`) > len(doc) {
			return -1
		}
		seen |= a.bit
		needed |= a.needs
		if at = a.value.read(doc, to+len(`="`), '"'); at < 0 {
			return -1
		}
		at++
	}
	if at >= len(doc) || doc[at] != '>' || seen&needed != needed {
		return -1
	}
	return at + 1
}
