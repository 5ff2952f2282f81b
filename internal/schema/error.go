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
	// Findings are in the order of the document; at least one, at most MaxFindings. A document that is malformed or
	// excessive has one, since nothing can be said about the rest of it.
	Findings []Finding
	// Cut is set where there were more findings.
	Cut bool

	reason error
}

// A Finding is one thing that is wrong. It quotes the document, and so may hold what a log must not.
type Finding struct {
	// Line and Column count from 1, columns in characters. They lead to the tag that is wrong, the end tag where
	// something is missing before it, or the text that should not be there.
	Line, Column int
	// Path leads to the element, such as /Customer/Accounts/Account[2]/Balance. Names are without prefixes, and those
	// that may occur several times are numbered. Elements that should not be there are part of it.
	Path string
	// Message says what was expected.
	Message string
}

// Unwrap returns the reason, one of ErrMalformed, ErrInvalid and ErrExcessive.
func (e *Error) Unwrap() error { return e.reason }

// Error gives the reason and the first finding in one line.
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

// String gives the finding in one line.
func (f Finding) String() string {
	return fmt.Sprintf("line %d, column %d, %s: %s", f.Line, f.Column, f.Path, f.Message)
}

// quote shows a piece of the document on one line and of bounded length, for it can be anything.
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

// oneLine makes words of the engine, which may contain words of the document, safe to print.
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
