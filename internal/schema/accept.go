package schema

// The engine would take the largest part of a validated write. Nearly all documents are valid and written in the usual
// way, and an automaton made for their schema recognises them in a small part of the time. Its other answer is not
// "invalid" but "don't know": XML declarations, which no stored document has, prefixes, comments, CDATA, unusual
// numbers and everything that is invalid are left to the engine.
//
// It must never accept what the engine refuses. FuzzAccept looks for such a document, and tests try tens of thousands
// of damaged ones.

// Larger and deeper documents are left to the engine, whose limits (schema.go) are above these.
const (
	maxAccepted = 1_000_000
	maxNesting  = 16
)

// accept reports whether a document is surely well-formed and valid. It allocates nothing. The functions below return
// the offset after what they have read, or -1 if they don't know.
func (a *automaton) accept(doc []byte) bool {
	if len(doc) > maxAccepted {
		return false
	}
	at, here := 0, a.document
	var open [maxNesting]*child
	depth := 0
	for {
		if here.mixed {
			at = skipText(doc, at, '<')
		} else {
			at = skipSpace(doc, at)
		}
		if at < 0 || at+1 >= len(doc) || doc[at] != '<' {
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
			inside, closed := c.shape.readAttributes(doc, at+1+len(c.name))
			if inside >= 0 && !closed && c.shape.content == childContent {
				if depth == maxNesting {
					return false
				}
				open[depth] = c
				depth++
				at, here = inside, c.shape.first
				continue
			}
			at = c.finish(doc, inside, closed)
			here = c.next
		}
		if at < 0 {
			return false
		}
		if depth == 0 {
			return skipSpace(doc, at) == len(doc)
		}
	}
}

// child returns the element whose start tag follows, after the bracket, nil if the state allows no such element. Most
// states allow one or two, so a linear search is the fastest.
func (s *state) child(tag []byte) *child {
	for i := range s.children {
		c := &s.children[i]
		if n := len(c.name); len(tag) > n && string(tag[:n]) == c.name && endsName[tag[n]] {
			return c
		}
	}
	return nil
}

var endsName = [256]bool{'>': true, '/': true, ' ': true, '\t': true, '\r': true, '\n': true}

// finish reads what follows the start tag of an element that has no child elements: nothing if the tag closed it.
func (c *child) finish(doc []byte, at int, closed bool) int {
	switch s := c.shape; {
	case at < 0, s.content == childContent && !s.first.final, s.content == textContent && closed && !s.value.mayBeEmpty():
		return -1
	case closed:
		return at
	case s.content == textContent:
		if at = s.value.read(doc, at, '<'); at < 0 {
			return -1
		}
	}
	return skipEndTag(doc, at, c.name)
}

func skipEndTag(doc []byte, at int, name string) int {
	from := at + len("</")
	to := from + len(name)
	if to >= len(doc) || doc[at] != '<' || doc[at+1] != '/' || string(doc[from:to]) != name {
		return -1
	}
	if to = skipSpace(doc, to); to >= len(doc) || doc[to] != '>' {
		return -1
	}
	return to + 1
}

// readAttributes reads a start tag after the name, and reports whether it closes the element.
func (s *shape) readAttributes(doc []byte, at int) (next int, closed bool) {
	seen, needed := uint64(0), s.required
	for {
		from := skipSpace(doc, at)
		if from+1 >= len(doc) {
			return -1, false
		}
		if doc[from] == '/' {
			closed = true
			from++
		}
		if doc[from] == '>' {
			if seen&needed != needed {
				return -1, false
			}
			return from + 1, closed
		}
		if closed || from == at {
			return -1, false
		}
		equals := from
		for equals < len(doc) && doc[equals] > ' ' && doc[equals] != '=' {
			equals++
		}
		a := s.attributes[string(doc[from:equals])]
		if a == nil || seen&a.bit != 0 || equals+1 >= len(doc) || doc[equals] != '=' {
			return -1, false
		}
		seen |= a.bit
		needed |= a.needs
		quote := doc[equals+1]
		if quote != '"' && quote != '\'' {
			return -1, false
		}
		if at = a.value.read(doc, equals+2, quote); at < 0 {
			return -1, false
		}
		at++
	}
}
