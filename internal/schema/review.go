package schema

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/jacoelho/xsd/xsderrors"
)

// review turns what the engine found into an Error. A document that the engine has nothing against comes here when
// a glance was not enough to see that there is nothing against it; then the answer may still be nil.
func (v *Validator) review(doc []byte, cause error) error {
	place := newPlaces(doc)
	diagnostics, err := flatten(cause)
	if err != nil {
		err = fmt.Errorf("validate by schema %s: %w", v.name, err)
		// The engine breaks off with an internal error at an element inside one that has to be empty.
		if len(v.empty.names) == 0 || !isInternal(cause) {
			return err
		}
	}
	for _, d := range diagnostics {
		if reason := reasonOf(d); !errors.Is(reason, ErrInvalid) {
			return &Error{Schema: v.name, reason: reason, Findings: []Finding{place.total(d)}}
		}
	}
	if root, at := rootName(doc); root != v.root {
		return v.invalid([]Finding{wrongRoot(place, v.root, root, at)})
	}
	findings, cut := v.explain(doc, diagnostics)
	if len(findings) == 0 {
		if len(diagnostics) == 0 {
			return err
		}
		// A no stays a no, even if there should be no words for it.
		findings = []Finding{place.total(diagnostics[0])}
	}
	out := v.invalid(findings)
	out.Cut = out.Cut || cut
	return out
}

func (v *Validator) invalid(findings []Finding) *Error {
	out := &Error{Schema: v.name, reason: ErrInvalid, Findings: findings}
	if len(findings) > MaxFindings {
		out.Findings, out.Cut = findings[:MaxFindings:MaxFindings], true
	}
	return out
}

// flatten returns the engine's diagnostics, or an error for those that say nothing about the document.
func flatten(cause error) ([]*xsderrors.Error, error) {
	if cause == nil {
		return nil, nil
	}
	if ascii, ok := errors.AsType[*notASCIIError](cause); ok {
		return []*xsderrors.Error{{
			Category: xsderrors.CategoryUnsupported,
			Code:     xsderrors.CodeUnsupportedNonUTF8,
			Message:  ascii.Error(),
			Line:     1, // as if the document were one line
			Column:   ascii.offset + 1,
		}}, nil
	}
	all := []error{cause}
	if several, ok := errors.AsType[xsderrors.Errors](cause); ok {
		all = several
	}
	var out []*xsderrors.Error
	for _, one := range all {
		d, ok := errors.AsType[*xsderrors.Error](one)
		if !ok || (d.Category != xsderrors.CategoryValidation && d.Category != xsderrors.CategoryUnsupported) ||
			d.Code == xsderrors.CodeValidationOption || d.Code == xsderrors.CodeValidationSession {
			return nil, cause
		}
		out = append(out, d)
	}
	return out, nil
}

func isInternal(cause error) bool {
	d, ok := errors.AsType[*xsderrors.Error](cause)
	return ok && d.Category == xsderrors.CategoryInternal
}

// reasonOf tells what kind of refusal a diagnostic is.
func reasonOf(d *xsderrors.Error) error {
	switch {
	case d.Code == xsderrors.CodeValidationLimit:
		return ErrExcessive
	case d.Code == xsderrors.CodeValidationXML:
		return ErrMalformed
	case d.Code == xsderrors.CodeValidationText && d.Path == "/", d.Code == xsderrors.CodeValidationRoot && d.Path == "":
		// Text beside the document element, and no document element: to the engine matters of validity.
		return ErrMalformed
	case d.Category == xsderrors.CategoryUnsupported && d.Code != xsderrors.CodeUnsupportedSchemaHint:
		return ErrMalformed
	}
	return ErrInvalid
}

func wrongRoot(place *places, want, got xml.Name, at int) Finding {
	f := place.finding(at)
	f.Path = "/" + oneLine(got.Local)
	f.Message = fmt.Sprintf("expected the document element <%s>, found %s", want.Local, tagName(got, want))
	if got.Space != want.Space {
		f.Message = fmt.Sprintf("expected the document element <%s> of namespace %q, found %s",
			want.Local, want.Space, tagName(got, want))
	}
	return f
}

// tagName shows an element's name, with its namespace where that is not the one to be expected.
func tagName(name, expected xml.Name) string {
	local := "<" + oneLine(name.Local) + ">"
	switch name.Space {
	case expected.Space:
		return local
	case "":
		return local + " of no namespace"
	}
	return local + " of namespace " + quote(name.Space)
}

// places turns offsets into lines and columns and the engine's positions into offsets. The engine counts bytes, gives
// the last byte that it has read, and leaves out a byte order mark.
type places struct {
	doc   []byte
	lines []int // where each begins
}

func newPlaces(doc []byte) *places {
	p := &places{doc: doc, lines: []int{0}}
	for i, b := range doc {
		if b == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	return p
}

// offset returns where the engine saw it, or the end of the document where the engine does not say.
func (p *places) offset(line, column int) int {
	if line < 1 || line > len(p.lines) {
		return len(p.doc)
	}
	at := p.lines[line-1] + column - 1
	if line == 1 && bytes.HasPrefix(p.doc, byteOrderMark) {
		at += len(byteOrderMark)
	}
	return min(max(at, 0), len(p.doc))
}

func (p *places) finding(at int) Finding {
	line, found := slices.BinarySearchFunc(p.lines, at, cmp.Compare[int])
	if !found {
		line--
	}
	before := p.doc[p.lines[line]:at]
	if line == 0 {
		before = bytes.TrimPrefix(before, byteOrderMark)
	}
	return Finding{Line: line + 1, Column: utf8.RuneCount(before) + 1}
}

// total is the only finding on a document that cannot be read to its end.
func (p *places) total(d *xsderrors.Error) Finding {
	at := p.offset(d.Line, d.Column)
	if d.Line == 0 && d.Category == xsderrors.CategoryUnsupported {
		at = 0 // the XML declaration
	}
	f := p.finding(at)
	f.Path = oneLine(cmp.Or(d.Path, "/"))
	f.Message = oneLine(engineWords(d))
	return f
}

// engineWords is what the engine says, where there is nothing better to say.
func engineWords(d *xsderrors.Error) string {
	switch {
	case d.Code == xsderrors.CodeUnsupportedSchemaHint:
		return "expected a type of the schema in xsi:type" // the engine takes xsi:schemaLocation for a promise of more
	case d.Err != nil && d.Message != "":
		return d.Message + ": " + d.Err.Error()
	case d.Err != nil:
		return d.Err.Error()
	}
	return d.Message
}
