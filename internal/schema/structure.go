package schema

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
)

// A structure lists the elements of a document and everything that is where the schema does not allow it.
//
// After a mistake reading continues as if the document had been corrected: a missing element is taken as present, and
// an element in the wrong place as absent, or as the one that is missing there. The corrections are kept as repairs,
// so that the engine, which looks no further into an element after its first mistake, can judge the rest of the
// repaired document.
type structure struct {
	doc       []byte
	automaton *automaton // nil if the schema is beyond it; then nothing is reported
	elements  []docElement
	mistakes  []mistake
	repairs   []repair

	bindings []binding // of namespaces, those in scope
	open     int       // the innermost open element, -1 for none
	misfit   misfit
}

// docElement is an element of a document.
type docElement struct {
	parent     int // index in the elements, -1 for none
	start, end int // offsets of the start tag and after the end tag
	space      []byte
	local      []byte
	shape      *shape // nil if the schema does not describe the element here
	state      *state // what may come next, while the element is open; nil if it may have no child elements
	bindings   int    // outside
	blank      bool   // white space in it was reported
}

// mistake is a violation at an offset of the document. The path of its finding leads to an element.
type mistake struct {
	at, element int
	blank       bool // white space, to which the engine has no objection
	message     string
}

// repair replaces a part of a document.
type repair struct {
	from, to int
	text     string
}

// binding is a declaration of a namespace.
type binding struct{ prefix, uri []byte }

// misfit is an element in the wrong place, until it is clear what follows it.
type misfit struct {
	found        bool
	parent       int
	from, behind int
}

// read reads a document, which replaces the one before. Of a valid one it reads only what may still be refused: the
// root, and if elements of the schema must be empty, all of them.
func (s *structure) read(a *automaton, doc []byte, valid bool) {
	*s = structure{doc: doc, elements: s.elements[:0], bindings: s.bindings[:0], open: -1}
	if a != nil && !a.partial {
		s.automaton = a
	}
	rootOnly := valid && (s.automaton == nil || !a.empty)
	if !rootOnly {
		s.elements = slices.Grow(s.elements, bytes.Count(doc, []byte("<"))/2) // each has two tags
	}
	for at := 0; at < len(doc) && (!rootOnly || len(s.elements) == 0); {
		end := tokenEnd(doc, at)
		switch {
		case doc[at] == '<' && doc[at+1] != '/':
			s.start(at, end)
		case s.open < 0: // not in the normal form
		case doc[at] == '<':
			s.end(at, end)
		default:
			s.text(at, end)
		}
		at = end
	}
}

// hasRoot reports whether the document element has that name.
func (s *structure) hasRoot(name xml.Name) bool {
	return len(s.elements) > 0 && string(s.elements[0].local) == name.Local && string(s.elements[0].space) == name.Space
}

func (s *structure) start(from, end int) {
	tag := s.doc[from:end]
	e := docElement{parent: s.open, start: from, end: len(s.doc) + 1, bindings: len(s.bindings)}
	ownType := false
	if bytes.IndexByte(tag, ':') >= 0 || bytes.Contains(tag, []byte("xmlns")) {
		ownType = s.bind(tag)
	}
	var prefix []byte
	prefix, e.local = cutPrefix(tag[1:nameEnd(tag)])
	for _, b := range slices.Backward(s.bindings) {
		if bytes.Equal(b.prefix, prefix) {
			e.space = b.uri
			break
		}
	}
	e.shape = s.place(&e)
	if ownType {
		e.shape = nil // by xsi:type an element may have another type than the declared one: only the engine knows
	}
	if e.shape != nil {
		e.state = e.shape.first
	}
	s.elements = append(s.elements, e)
	s.open = len(s.elements) - 1
}

// bind brings the namespaces that a tag declares into scope, and reports whether the tag has an xsi:type.
func (s *structure) bind(tag []byte) (ownType bool) {
	for name, value := range attributes(tag) {
		prefix, local := cutPrefix(name)
		switch {
		case string(prefix) == "xmlns":
			s.bindings = append(s.bindings, binding{local, []byte(unescape(value))})
		case string(name) == "xmlns":
			s.bindings = append(s.bindings, binding{nil, []byte(unescape(value))})
		case prefix != nil && string(local) == "type":
			ownType = true
		}
	}
	return ownType
}

// place finds the type of an element by its place, and reports an element that is in the wrong one.
func (s *structure) place(e *docElement) *shape {
	if s.open < 0 {
		if s.automaton != nil && len(s.elements) == 0 {
			if c := s.child(s.automaton.document, e); c != nil {
				return c.shape
			}
		}
		return nil
	}
	parent := &s.elements[s.open]
	if parent.shape == nil || len(s.mistakes) > MaxFindings {
		return nil
	}
	s.settle(e)
	if c := s.child(parent.state, e); c != nil {
		parent.state = c.next
		return c.shape
	}
	expected := parent.shape.contentWords() + " in <" + string(parent.local) + ">"
	if parent.state != nil {
		expected = parent.state.words(string(parent.local))
	}
	s.report(mistake{at: e.start, element: len(s.elements),
		message: "expected " + expected + ", found " + e.tagName(string(parent.space))})
	if missing, c := s.missing(parent.state, e); c != nil {
		s.repairs = append(s.repairs, repair{from: e.start, to: e.start, text: missing})
		parent.state = c.next
		return c.shape
	}
	s.misfit = misfit{found: true, parent: s.open, from: e.start}
	return nil
}

// child returns the transition that an element takes, nil if it is not allowed in that state.
func (s *structure) child(from *state, e *docElement) *child {
	if from == nil || string(e.space) != s.automaton.namespace {
		return nil
	}
	i := slices.IndexFunc(from.children, func(c child) bool { return c.name == string(e.local) })
	if i < 0 {
		return nil
	}
	return &from.children[i]
}

// missing finds the smallest number of missing elements after which the element e is allowed. It returns placeholders
// for them, and the transition that e then takes; nil if there is none.
func (s *structure) missing(from *state, e *docElement) (placeholders string, found *child) {
	if from == nil {
		return "", nil
	}
	routes := map[*state]string{from: ""} // what leads to each state
	for reached := []*state{from}; len(reached) > 0; reached = reached[1:] {
		here := reached[0]
		if c := s.child(here, e); c != nil {
			return routes[here], c
		}
		for _, c := range here.children {
			if _, seen := routes[c.next]; !seen {
				routes[c.next] = routes[here] + s.placeholder(&c)
				reached = append(reached, c.next)
			}
		}
	}
	return "", nil
}

// placeholder writes an element with the right name and no valid content.
func (s *structure) placeholder(c *child) string {
	return "<" + c.name + ` xmlns="` + s.automaton.namespace + `"></` + c.name + ">"
}

// settle repairs a misfit once it is known which element follows it; next is nil at the end of the parent. If exactly
// one element is missing between the elements before and after the misfit, the misfit is taken for that element.
// Otherwise it is removed.
func (s *structure) settle(next *docElement) {
	if !s.misfit.found || s.misfit.parent != s.open {
		return
	}
	fits := func(state *state) bool {
		if next == nil {
			return state.final
		}
		return s.child(state, next) != nil
	}
	parent := &s.elements[s.open]
	r := repair{from: s.misfit.from, to: s.misfit.behind}
	if parent.state != nil && !fits(parent.state) {
		instead := slices.IndexFunc(parent.state.children, func(c child) bool { return fits(c.next) })
		if instead >= 0 {
			c := &parent.state.children[instead]
			r.text, parent.state = s.placeholder(c), c.next
		}
	}
	s.repairs = append(s.repairs, r)
	s.misfit = misfit{}
}

func (s *structure) end(from, end int) {
	s.settle(nil)
	e := &s.elements[s.open]
	e.end = end
	if e.state != nil && !e.state.final {
		s.report(mistake{at: from, element: s.open,
			message: "expected " + e.state.words("") + ", found the end of <" + string(e.local) + ">"})
	}
	if s.misfit.found && s.misfit.from == e.start {
		s.misfit.behind = end
	}
	s.bindings = s.bindings[:e.bindings]
	s.open = e.parent
}

// text reports text that is not allowed where it is.
func (s *structure) text(from, end int) {
	e := &s.elements[s.open]
	if e.shape == nil || e.shape.content == textContent || e.state != nil && e.state.mixed {
		return
	}
	at := min(skipSpace(s.doc, from), end)
	switch text := strings.Trim(unescape(s.doc[at:end]), " \t\r\n"); {
	case text != "":
		s.report(mistake{at: at, element: s.open, message: "expected " + e.shape.contentWords() + " in <" + string(e.local) +
			">, found the text " + quote(text)})
	case e.shape.content == noContent && !e.blank:
		e.blank = true // once, for elements divide white space
		s.report(mistake{at: from, element: s.open, blank: true,
			message: "expected nothing in <" + string(e.local) + ">, found white space"})
	}
}

// report keeps one mistake more than are shown, to know that there are more.
func (s *structure) report(m mistake) {
	if len(s.mistakes) <= MaxFindings {
		s.mistakes = append(s.mistakes, m)
	}
}

// repaired returns the document with all repairs.
func (s *structure) repaired() []byte {
	var out []byte
	at := 0
	for _, r := range s.repairs {
		out = append(append(out, s.doc[at:r.from]...), r.text...)
		at = r.to
	}
	return append(out, s.doc[at:]...)
}

// original returns the offset in the document of a byte of the repaired one; ok is false if the byte is of a
// placeholder.
func (s *structure) original(at int) (offset int, ok bool) {
	for _, r := range s.repairs {
		if at < r.from {
			break
		}
		if at < r.from+len(r.text) {
			return r.from, false
		}
		at += r.to - r.from - len(r.text)
	}
	return at, true
}

// elementAt returns the innermost element around an offset, -1 for none.
func (s *structure) elementAt(at int) int {
	i, found := slices.BinarySearchFunc(s.elements, at, func(e docElement, at int) int { return e.start - at })
	if !found {
		i--
	}
	for i >= 0 && s.elements[i].end <= at {
		i = s.elements[i].parent
	}
	return i
}

// path returns the path of an element. Siblings of the same name are numbered.
func (s *structure) path(i int) string {
	path := ""
	for ; i >= 0; i = s.elements[i].parent {
		e := &s.elements[i]
		total, number := 0, 0
		for k := e.parent + 1; k < len(s.elements); k++ {
			other := &s.elements[k]
			if e.parent >= 0 && other.start >= s.elements[e.parent].end {
				break
			}
			if other.parent == e.parent && bytes.Equal(other.local, e.local) && bytes.Equal(other.space, e.space) {
				total++
			}
			if k == i {
				number = total
			}
		}
		step := "/" + oneLine(string(e.local))
		if total > 1 {
			step += "[" + strconv.Itoa(number) + "]"
		}
		path = step + path
	}
	return path
}
