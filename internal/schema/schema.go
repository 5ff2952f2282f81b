// Package schema validates documents by the XML Schemas of package api.
//
// The engine is github.com/jacoelho/xsd, and findings are in its words. This package adds what the engine leaves open:
// which element must be the document element, limits, columns in characters, and a pool of sessions, because opening
// one costs more than validating a document.
package schema

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/jacoelho/xsd"
	"github.com/jacoelho/xsd/xsderrors"

	"brokerage/api"
	"brokerage/internal/xmldoc"
)

var (
	customer = Body("custacc.xsd", "Customer")
	security = Body("security.xsd", "Security")
	order    = Body("order.xsd", "FIXML")
)

// Customer returns the validator of customer documents: root Customer, with accounts and holdings.
func Customer() *Validator { return customer() }

// Security returns the validator of documents of stocks, bonds and funds: root Security.
func Security() *Validator { return security() }

// Order returns the validator of FIXML documents with one new order: root FIXML.
func Order() *Validator { return order() }

// Body returns a function that returns the validator of a root element of a schema file. It compiles the file at its
// first call, so that commands that never validate do not pay for it. It panics if the file does not compile, which is
// a bug that no caller could handle.
func Body(file, root string) func() *Validator {
	return sync.OnceValue(func() *Validator {
		v, err := CompileFile(file, root)
		if err != nil {
			panic(fmt.Sprintf("schema: %v", err))
		}
		return v
	})
}

// MaxFindings is the largest number of findings in an Error.
const MaxFindings = 20

// limits bound the work for one document. The largest documents of the benchmark have 23 KB and seven levels, and no
// element can have more than the 64 attributes of an order.
var limits = xsd.ValidateOptions{
	MaxErrors:             MaxFindings,
	MaxInstanceDepth:      64,
	MaxInstanceAttributes: 256,
	MaxInstanceTextBytes:  4 << 20,
	MaxInstanceTokenBytes: 1 << 20,
	MaxInstanceBytes:      16 << 20,
}

// A Validator validates documents by one schema. It is safe for concurrent use.
type Validator struct {
	name     string
	root     xml.Name
	engine   *xsd.Engine
	sessions sync.Pool // of *xsd.Session, each of which validates one document at a time
}

// CompileFile returns a Validator for a schema file of package api, which may include others.
func CompileFile(file, root string) (*Validator, error) {
	source, err := api.Schemas.ReadFile("schema/" + file)
	if err != nil {
		return nil, fmt.Errorf("compile schema %s: %w", file, err)
	}
	return Compile(file, source, root)
}

// Compile returns a Validator for the source of a schema, which may include files of package api. The document element
// must be the element root of the target namespace: XML Schema by itself allows every global element there. The name is
// used in errors.
func Compile(name string, source []byte, root string) (*Validator, error) {
	include := func(_ context.Context, _, location string) (xsd.SchemaSource, error) {
		included, err := api.Schemas.ReadFile("schema/" + location)
		if err != nil {
			return xsd.SchemaSource{}, fmt.Errorf("include %s: %w", location, err)
		}
		return xsd.Bytes(location, included), nil
	}
	engine, err := xsd.Compile(context.Background(), xsd.Bytes(name, source).WithResolver(xsd.ResolverFunc(include)))
	if err != nil {
		return nil, fmt.Errorf("compile schema %s: %w", name, err)
	}
	var declared struct {
		Namespace string    `xml:"targetNamespace,attr"`
		Elements  []element `xml:"element"`
	}
	if err = xml.Unmarshal(source, &declared); err != nil {
		return nil, fmt.Errorf("compile schema %s: %w", name, err)
	}
	if !slices.Contains(declared.Elements, element{root}) {
		return nil, fmt.Errorf("compile schema %s: it declares no element %s", name, root)
	}
	v := &Validator{name: name, root: xml.Name{Space: declared.Namespace, Local: root}, engine: engine}
	// The first session is opened here, so that limits that the engine refuses show now and not under load.
	session, err := engine.NewSession(limits)
	if err != nil {
		return nil, fmt.Errorf("open session for schema %s: %w", name, err)
	}
	v.sessions.Put(session)
	return v, nil
}

// element is the declaration of a global element.
type element struct {
	Name string `xml:"name,attr"`
}

// Validate returns nil for a valid document and an *Error for an invalid one. Any other error means that the engine
// failed. The document must be in the normal form of package xmldoc.
//
// There is no context: most documents take a fraction of a millisecond, and the limits bound the others.
func (v *Validator) Validate(doc []byte) error {
	root := xmldoc.Root(doc)
	if string(root.Local()) != v.root.Local || root.Space() != v.root.Space {
		message := fmt.Sprintf("root element is not %s of namespace %s", v.root.Local, v.root.Space)
		return &Error{[]Finding{{1, 1, oneLine("/" + string(root.Local())), message}}}
	}
	session, ok := v.sessions.Get().(*xsd.Session)
	if !ok {
		var err error
		if session, err = v.engine.NewSession(limits); err != nil {
			return fmt.Errorf("open session for schema %s: %w", v.name, err)
		}
	}
	err := session.Validate(context.Background(), bytes.NewReader(doc))
	v.sessions.Put(session) // not deferred: one that panicked is in an unknown state and must not be used again
	if err == nil {
		return nil
	}

	all := []error{err}
	if several, ok := errors.AsType[xsderrors.Errors](err); ok {
		all = several
	}
	refusal := &Error{}
	for _, one := range all {
		d, ok := errors.AsType[*xsderrors.Error](one)
		if !ok || d.Category != xsderrors.CategoryValidation && d.Category != xsderrors.CategoryUnsupported {
			return fmt.Errorf("validate by schema %s: %w", v.name, err)
		}
		message := d.Message
		if d.Err != nil {
			message = strings.TrimPrefix(message+": "+d.Err.Error(), ": ")
		}
		refusal.Findings = append(refusal.Findings, Finding{d.Line, column(doc, d), oneLine(d.Path), oneLine(message)})
	}
	return refusal
}

// column returns the column of a diagnostic in characters; the engine counts bytes.
func column(doc []byte, d *xsderrors.Error) int {
	line := doc
	for range d.Line - 1 {
		_, line, _ = bytes.Cut(line, []byte("\n"))
	}
	return utf8.RuneCount(line[:min(max(d.Column-1, 0), len(line))]) + 1
}

// oneLine makes a text that may contain parts of the document safe to print: without ASCII control characters, and cut
// after 300 bytes.
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

// An Error holds the reasons for which a document was refused.
type Error struct {
	// Findings are in the order of the document: at least one, at most MaxFindings. A document that is over the limits has
	// one.
	Findings []Finding
}

// A Finding is one mistake in a document. It may quote the document, so it may contain what must not be logged.
type Finding struct {
	// Line and Column count from 1, columns in characters. They are where a part of the element with the mistake begins:
	// its start tag if an attribute is wrong, a child that is in the wrong place, its end tag if its text is wrong or a
	// child is missing, or its text if there must be none.
	Line, Column int
	// Path is the path of the element, such as /Customer/Accounts/Account/Balance. Names have no prefixes.
	Path string
	// Message says what is wrong, in the words of the engine.
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
