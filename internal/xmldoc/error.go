package xmldoc

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// A Reason classifies refusals, for callers that treat them differently.
type Reason uint8

const (
	Malformed Reason = iota // not well-formed XML 1.0 with namespaces
	Encoding                // a character encoding that is broken, contradicted or not supported
	Forbidden               // a document type declaration
	TooLarge                // over a limit
)

func (r Reason) String() string {
	return [...]string{"malformed", "encoding", "forbidden", "too large"}[r]
}

// An Error says why Admit refused a document. Line and Column count from 1; a column is a character, not a byte, so
// that both are the same in every encoding.
type Error struct {
	Reason       Reason
	Line, Column int
	Msg          string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

func (a *admitter) fail(offset int, format string, args ...any) {
	a.refuse(offset, Malformed, format, args...)
}

// refuse ends the admission with an error about an offset of the source. It is inlined: the loops that read a document
// are a tenth faster when the compiler sees that it does not return.
func (a *admitter) refuse(offset int, reason Reason, format string, args ...any) {
	panic(newError(a.src, offset, reason, format, args...))
}

// newError returns an Error at an offset. Only a refusal counts lines: admitting a good document does not.
func newError(text []byte, offset int, reason Reason, format string, args ...any) *Error {
	line, start := 1, 0
	before := text[:min(offset, len(text))]
	for i, c := range before {
		// A line ends with LF, CR LF or CR, as XML has it.
		if c == '\n' || c == '\r' && (i+1 >= len(text) || text[i+1] != '\n') {
			line, start = line+1, i+1
		}
	}
	return &Error{reason, line, utf8.RuneCount(before[start:]) + 1, fmt.Sprintf(format, args...)}
}

// excerpt quotes input for a message: short, and on one line whatever it holds.
func excerpt(b []byte) string {
	const most = 40
	if len(b) > most {
		b = append(bytes.ToValidUTF8(b[:most], nil), "…"...)
	}
	return fmt.Sprintf("%q", b)
}
