package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The reasons for which a document is refused. An Error is one of them by errors.Is.
var (
	// ErrMalformed: not well-formed XML, or XML that is not taken at all (a DTD, entities, another encoding).
	ErrMalformed = errors.New("not well-formed")
	// ErrInvalid: well-formed, but not what the schema describes.
	ErrInvalid = errors.New("invalid")
	// ErrExcessive: deeper, wider or longer than any document of the service.
	ErrExcessive = errors.New("over the limits")
)

// An Error says why a document was refused.
type Error struct {
	// Schema is the name of the schema, such as custacc.
	Schema string
	// Findings are in the order of the document: at least one, at most MaxFindings. A document that is malformed or over
	// the limits has one.
	Findings []Finding
	// Cut is set if there were more findings.
	Cut bool

	reason error
}

// A Finding is one mistake in a document. It quotes the document, so it may contain what must not be logged.
type Finding struct {
	// Line and Column count from 1, columns in characters. They point to the start tag of the element that is wrong, to
	// the end tag before which an element is missing, or to text that is not allowed.
	Line, Column int
	// Path is the path of the element, such as /Customer/Accounts/Account[2]/Balance. Names have no prefixes; siblings of
	// the same name are numbered.
	Path string
	// Message says what was expected, in one sentence without a full stop.
	Message string
}

// Unwrap returns the reason, one of ErrMalformed, ErrInvalid and ErrExcessive.
func (e *Error) Unwrap() error { return e.reason }

// Error returns the reason and the first finding in one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v", e.Schema, e.reason)
	if len(e.Findings) == 0 {
		return b.String()
	}
	b.WriteString(": ")
	b.WriteString(e.Findings[0].String())
	if more := len(e.Findings) - 1; e.Cut {
		fmt.Fprintf(&b, " (and more than %d others)", more)
	} else if more > 0 {
		fmt.Fprintf(&b, " (and %d more)", more)
	}
	return b.String()
}

// String returns the finding in one line.
func (f Finding) String() string {
	return fmt.Sprintf("line %d, column %d, %s: %s", f.Line, f.Column, f.Path, f.Message)
}

// quote returns the first 40 characters of a piece of the document, quoted, on one line.
func quote(s string) string {
	const most = 40
	n := 0
	for i := range s {
		if n++; n > most {
			return strconv.Quote(s[:i]) + "…"
		}
	}
	return strconv.Quote(s)
}

// oneLine makes a text that may contain parts of the document safe to print: without control characters, at most 300
// bytes.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	const most = 300
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
