package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// An Error says why a document was refused.
type Error struct {
	// Findings are in the order of the document: at least one, at most MaxFindings. A document that is over the limits has
	// one.
	Findings []Finding
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

// Error returns the first finding in one line, and how many more there are.
func (e *Error) Error() string {
	text := e.Findings[0].String()
	if more := len(e.Findings) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
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
