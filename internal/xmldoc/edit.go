package xmldoc

import (
	"cmp"
	"errors"
	"slices"
)

// An Editor collects changes to a document and applies them together: each is one splice at the offset that a node had
// before any change, and all bytes between the splices are unchanged. The result is in the normal form again.
//
// Apply refuses changes that are impossible, alone or together. An Editor is for one goroutine.
type Editor struct {
	doc      []byte
	splices  []splice
	inserted []byte // the pieces to insert, one after the other
	spliced  int    // how many of these bytes belong to a splice already
	err      error
}

type splice struct {
	from, to int
	inserted span
	// content: all that is between two tags or quotes is replaced, so that nothing else can be inserted there, not even
	// at its edges.
	content bool
	// attribute: the name of an attribute that is added, which is possible only once.
	attribute string
}

// ErrOverlap says that two changes touch the same bytes.
var ErrOverlap = errors.New("xmldoc: changes overlap")

// ErrNode says that a change names a node that does not exist, is of another document, or is of the wrong kind.
var ErrNode = errors.New("xmldoc: the node does not exist in this document, or does not allow this change")

// ErrText says that a change has a text or a name that XML cannot hold.
var ErrText = errors.New("xmldoc: not a text or name that XML can hold")

// Edit returns an Editor for a document. It never writes to doc itself.
func Edit(doc []byte) *Editor {
	return &Editor{doc: doc}
}

// SetText replaces the content of an element, or the value of an attribute, by a text.
func (e *Editor) SetText(n Node, text string) {
	if e.owns(n, n.kind) && e.must(isText(text), ErrText) {
		e.inserted = appendEscaped(e.inserted, text, n.kind == value)
		e.splice(splice{from: n.inner, to: n.inner + len(n.Inner()), content: true})
	}
}

// SetAttr sets the value of an attribute that is in no namespace. It adds the attribute as the last if the element n
// does not have it.
func (e *Editor) SetAttr(n Node, name, text string) {
	if !e.owns(n, element) || !e.must(isText(text) && isName(name) && name != "xmlns", ErrText) {
		return
	}
	if attr := n.Attr(name); attr.Exists() {
		e.SetText(attr, text)
		return
	}
	e.inserted = append(append(append(e.inserted, ' '), name...), `="`...)
	e.inserted = append(appendEscaped(e.inserted, text, true), '"')
	e.splice(splice{from: n.inner - 1, to: n.inner - 1, attribute: name})
}

// Append inserts an element as the last child of n. The child may be of any document; it takes along the namespace
// declarations that it needs in its new parent.
func (e *Editor) Append(n, child Node) {
	if e.owns(n, element) && e.must(child.kind == element, ErrNode) {
		e.inserted = child.appendInto(e.inserted, e.doc, n.inside())
		end := n.inner + len(n.Inner())
		e.splice(splice{from: end, to: end})
	}
}

// Delete removes an element with its content. The root element cannot be removed.
func (e *Editor) Delete(n Node) {
	if e.owns(n, element) && e.must(n.start != 0, ErrNode) {
		e.splice(splice{from: n.start, to: n.stop()})
	}
}

// must records err if a change is not possible.
func (e *Editor) must(possible bool, err error) bool {
	if !possible {
		e.err = err
	}
	return possible
}

// owns reports whether n is of that kind and of the document being edited; if not, Apply fails.
func (e *Editor) owns(n Node, kind nodeKind) bool {
	return e.must(n.kind == kind && (kind == element || kind == value) &&
		len(n.doc) == len(e.doc) && &n.doc[0] == &e.doc[0], ErrNode)
}

// splice appends s, which inserts the bytes that were added to e.inserted after the previous splice.
func (e *Editor) splice(s splice) {
	s.inserted = span{e.spliced, len(e.inserted)}
	e.splices = append(e.splices, s)
	e.spliced = len(e.inserted)
}

// Apply appends the changed document to dst.
func (e *Editor) Apply(dst []byte) ([]byte, error) {
	if e.err != nil {
		return dst, e.err
	}
	// The sort is stable, so that insertions at one offset keep the order of the calls. It compares the ends too, so that
	// insertions come before a replacement at that offset.
	slices.SortStableFunc(e.splices, func(x, y splice) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to))
	})
	size := len(e.doc)
	for i, s := range e.splices {
		if i > 0 {
			before := e.splices[i-1]
			if s.from < before.to || s.from == before.to && (s.content || before.content) {
				return dst, ErrOverlap
			}
		}
		again := func(other splice) bool { return other.from == s.from && other.attribute == s.attribute }
		if s.attribute != "" && slices.ContainsFunc(e.splices[:i], again) {
			return dst, ErrOverlap
		}
		size += s.inserted.to - s.inserted.from - (s.to - s.from)
	}
	dst = slices.Grow(dst, size)
	done := 0
	for _, s := range e.splices {
		dst = append(append(dst, e.doc[done:s.from]...), s.inserted.of(e.inserted)...)
		done = s.to
	}
	return append(dst, e.doc[done:]...), nil
}
