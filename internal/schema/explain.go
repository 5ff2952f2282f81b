package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jacoelho/xsd/xsderrors"

	"brokerage/internal/xmldoc"
)

// review returns the verdict on a document that the engine has validated with the result cause: nil, an *Error that
// says what is wrong, or another error if the engine failed.
//
// The engine says what is wrong and where, but not what it expected instead, and after the first mistake in an element
// it rejects everything. So mistakes of structure are reported by the automaton, which knows what may come next, and
// the engine judges values and attributes in a copy of the document whose structure has been repaired.
func (v *Validator) review(w *worker, doc []byte, cause error) error {
	diagnostics, err := diagnose(doc, cause)
	if err != nil {
		failure, _ := errors.AsType[*xsderrors.Error](err)
		err = fmt.Errorf("validate by schema %s: %w", v.name, err)
		// The engine stops with an internal error at an element inside one that has to be empty.
		if failure == nil || failure.Category != xsderrors.CategoryInternal {
			return err
		}
	}
	if refusal := unreadable(doc, diagnostics); refusal != nil {
		return refusal
	}
	s := &w.structure
	s.read(v.fast, doc, cause == nil)
	if !s.hasRoot(v.root) {
		return v.wrongRoot(s)
	}
	if err == nil && !slices.ContainsFunc(diagnostics, diagnostic.ofStructure) {
		// Only findings about white space count when the engine accepts the document.
		s.mistakes = slices.DeleteFunc(s.mistakes, func(m mistake) bool { return !m.blank })
		s.repairs = nil
	}
	if len(s.repairs) > 0 {
		repaired := s.repaired()
		if found, err := diagnose(repaired, w.validate(repaired)); err == nil {
			diagnostics = s.inOriginal(found)
			if refusal := unreadable(doc, diagnostics); refusal != nil {
				return refusal
			}
		}
	}
	for _, d := range diagnostics {
		if m, ok := s.explain(d); ok {
			s.mistakes = append(s.mistakes, m)
		}
	}
	switch {
	case len(s.mistakes) == 0 && len(diagnostics) == 0:
		return err
	case len(s.mistakes) == 0:
		// The engine has refused the document, and only its own finding explains why.
		return &Error{[]Finding{diagnostics[0].finding(doc)}}
	}
	slices.SortStableFunc(s.mistakes, func(a, b mistake) int { return cmp.Compare(a.at, b.at) })
	out := &Error{}
	lines := newLineIndex(doc)
	for _, m := range s.mistakes[:min(len(s.mistakes), MaxFindings)] {
		out.Findings = append(out.Findings, lines.finding(m.at, cmp.Or(s.path(m.element), "/"), m.message))
	}
	return out
}

// unreadable returns the error for a document that the engine has not read to its end, nil for any other.
func unreadable(doc []byte, diagnostics []diagnostic) error {
	for _, d := range diagnostics {
		if d.Code == xsderrors.CodeValidationLimit || d.Code == xsderrors.CodeValidationXML {
			return &Error{[]Finding{d.finding(doc)}}
		}
	}
	return nil
}

func (v *Validator) wrongRoot(s *structure) error {
	found := docElement{start: len(s.doc)}
	if len(s.elements) > 0 {
		found = s.elements[0]
	}
	expected := "expected the document element <" + v.root.Local + ">"
	if string(found.space) != v.root.Space {
		expected += fmt.Sprintf(" of namespace %q", v.root.Space)
	}
	return &Error{[]Finding{newLineIndex(s.doc).finding(found.start, "/"+oneLine(string(found.local)),
		expected+", found "+found.tagName(v.root.Space))}}
}

// explain turns a diagnostic of the engine into a mistake. It returns false for one that the structure reports itself.
func (s *structure) explain(d diagnostic) (mistake, bool) {
	m := mistake{at: d.at, element: s.elementAt(d.at), message: oneLine(d.words())}
	if m.element < 0 {
		return m, true
	}
	e := &s.elements[m.element]
	if d.ofStructure() {
		// At a start tag it is the parent that does not allow the element.
		if d.Code != xsderrors.CodeValidationText && d.at == e.start && e.parent >= 0 {
			e = &s.elements[e.parent]
		}
		return m, e.shape == nil
	}
	if d.Code != xsderrors.CodeValidationFacet || e.shape == nil {
		return m, true
	}
	element := s.doc[e.start:min(e.end, len(s.doc))]
	if words, ok := strings.CutPrefix(d.Message, "invalid attribute "); ok {
		name, _, _ := strings.Cut(words, ":")
		if a := e.shape.attributes[name]; a != nil {
			m.message = "attribute " + name + ": expected " + a.value.words + ", found " +
				quote(string(xmldoc.Root(element).Attr(name).Text()))
		}
	} else if e.shape.value != nil {
		m.at = e.start
		m.message = "expected " + e.shape.value.words + ", found " + quote(textOf(element))
	}
	return m, true
}

// diagnostic is a diagnostic of the engine, with its offset in the document.
type diagnostic struct {
	at int
	*xsderrors.Error
}

// diagnose returns the diagnostics in an error of the engine, or the error itself if the engine failed. The engine
// returns the last byte that it has read. Without a line the offset is the end of the document.
func diagnose(doc []byte, cause error) ([]diagnostic, error) {
	if cause == nil {
		return nil, nil
	}
	all := []error{cause}
	if several, ok := errors.AsType[xsderrors.Errors](cause); ok {
		all = several
	}
	lines := newLineIndex(doc)
	var out []diagnostic
	for _, one := range all {
		d, ok := errors.AsType[*xsderrors.Error](one)
		if !ok || (d.Category != xsderrors.CategoryValidation && d.Category != xsderrors.CategoryUnsupported) ||
			d.Code == xsderrors.CodeValidationOption || d.Code == xsderrors.CodeValidationSession {
			return nil, cause
		}
		at := len(doc)
		if d.Line >= 1 && d.Line <= len(lines.starts) {
			at = min(max(lines.starts[d.Line-1]+d.Column-1, 0), at)
		}
		out = append(out, diagnostic{at, d})
	}
	return out, nil
}

// ofStructure reports whether a diagnostic is about elements or text that are missing or not allowed at their place.
func (d diagnostic) ofStructure() bool {
	return d.Code == xsderrors.CodeValidationElement || d.Code == xsderrors.CodeValidationContent ||
		d.Code == xsderrors.CodeValidationText
}

// words returns what the engine says.
func (d diagnostic) words() string {
	switch {
	case d.Code == xsderrors.CodeUnsupportedSchemaHint:
		return "expected a type of the schema in xsi:type" // the engine reports xsi:schemaLocation so
	case d.Err != nil && d.Message != "":
		return d.Message + ": " + d.Err.Error()
	case d.Err != nil:
		return d.Err.Error()
	}
	return d.Message
}

// finding returns the only finding on a document that cannot be read to its end.
func (d diagnostic) finding(doc []byte) Finding {
	return newLineIndex(doc).finding(d.at, oneLine(cmp.Or(d.Path, "/")), oneLine(d.words()))
}

// inOriginal converts diagnostics on the repaired document to the original, without those on placeholders.
func (s *structure) inOriginal(diagnostics []diagnostic) (out []diagnostic) {
	for _, d := range diagnostics {
		if at, ok := s.original(d.at); ok {
			out = append(out, diagnostic{at, d.Error})
		}
	}
	return out
}

// lineIndex is where the lines of a document start.
type lineIndex struct {
	doc    []byte
	starts []int
}

func newLineIndex(doc []byte) *lineIndex {
	l := &lineIndex{doc: doc, starts: []int{0}}
	for i, b := range doc {
		if b == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

func (l *lineIndex) finding(at int, path, message string) Finding {
	line, found := slices.BinarySearch(l.starts, at)
	if !found {
		line = max(line-1, 0)
	}
	return Finding{line + 1, utf8.RuneCount(l.doc[min(l.starts[line], at):at]) + 1, path, message}
}
