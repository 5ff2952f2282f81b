package schema

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/jacoelho/xsd"
	"github.com/jacoelho/xsd/xsderrors"

	"brokerage/api"
)

var (
	customer = embedded("custacc.xsd", "Customer")
	security = embedded("security.xsd", "Security")
	order    = embedded("order.xsd", "FIXML")
)

// Customer validates customer documents: root Customer, with accounts and holdings.
func Customer() *Validator { return customer() }

// Security validates documents of stocks, bonds and funds: root Security.
func Security() *Validator { return security() }

// Order validates FIXML documents with one new order: root FIXML.
func Order() *Validator { return order() }

// MaxFindings is how many findings an Error carries at most.
const MaxFindings = 20

// limits keep one document from taking more than its share. The largest documents of the benchmark have 23 KB and seven
// levels, and no element can have more than the 64 attributes of an order. The engine collects more findings than are
// reported, because some of them are consequences of others.
var limits = xsd.ValidateOptions{
	MaxErrors:             5 * MaxFindings,
	MaxInstanceDepth:      64,
	MaxInstanceAttributes: 256,
	MaxInstanceTextBytes:  4 << 20,
	MaxInstanceTokenBytes: 1 << 20,
	MaxInstanceBytes:      16 << 20,
}

// maxKept is the largest document whose buffers are kept in the pool for the next one.
const maxKept = 64 << 10

// A Validator validates documents by one schema. It is safe for concurrent use.
type Validator struct {
	name string
	root xml.Name
	fast *automaton // nil for a schema beyond it
	open func() (engineSession, error)
	idle sync.Pool // of *worker
}

// engineSession is the part of an engine's session that is used here. A session serves one document at a time.
type engineSession interface {
	Validate(context.Context, io.Reader) error
}

// worker is what one validation needs to itself.
type worker struct {
	session   engineSession
	input     bytes.Reader
	recoded   []byte
	structure structure
}

// Compile makes a Validator of the source of a schema. The schema has to be complete in itself. Documents must have
// the element root of its target namespace as their document element: XML Schema alone would take any element that is
// declared globally, which is more than any caller wants. The name stands in errors.
func Compile(name string, source []byte, root string) (*Validator, error) {
	engine, err := xsd.Compile(context.Background(), xsd.Bytes(name, source))
	if err != nil {
		return nil, fmt.Errorf("compile schema %s: %w", name, err)
	}
	grammar := parseGrammar(source)
	v := &Validator{
		name: strings.TrimSuffix(path.Base(name), ".xsd"),
		root: xml.Name{Space: grammar.namespace, Local: root},
		open: func() (engineSession, error) { return engine.NewSession(limits) },
	}
	e := grammar.globals[v.root]
	if e == nil || e.abstract {
		return nil, fmt.Errorf("compile schema %s: no element %s that could be a document element", name, root)
	}
	v.fast = newAutomaton(grammar, e)
	// The first session is opened here so that limits the engine does not like show now and not under load.
	session, err := v.open()
	if err != nil {
		return nil, fmt.Errorf("open session for schema %s: %w", name, err)
	}
	v.idle.Put(&worker{session: session})
	return v, nil
}

// embedded defers compiling to the first use, so that commands that never validate do not pay for it. A schema that
// is part of the program and does not compile is a bug that no caller could handle.
func embedded(file, root string) func() *Validator {
	return sync.OnceValue(func() *Validator {
		source, err := api.Schemas.ReadFile("schema/" + file)
		if err != nil {
			panic(fmt.Sprintf("schema: %v", err))
		}
		v, err := Compile(file, source, root)
		if err != nil {
			panic(fmt.Sprintf("schema: %v", err))
		}
		return v
	})
}

// Validate returns nil for a valid document and an *Error for any other. Another kind of error means that the
// document could not be judged. The document is UTF-8, or declares US-ASCII and is it; a DTD is refused.
//
// There is no context: a document comes from memory and takes a fraction of a millisecond, so the limit on its size
// does what a deadline would.
func (v *Validator) Validate(doc []byte) error {
	if v.fast != nil && v.fast.accept(doc) {
		return nil
	}
	return v.judge(doc)
}

// judge validates a document with the engine.
func (v *Validator) judge(doc []byte) error {
	w, ok := v.idle.Get().(*worker)
	if !ok {
		session, err := v.open()
		if err != nil {
			return fmt.Errorf("open session for schema %s: %w", v.name, err)
		}
		w = &worker{session: session}
	}
	err := v.review(w, doc, w.validate(doc))
	if len(doc) > maxKept {
		w.recoded, w.structure = nil, structure{}
	}
	// Not deferred: a worker whose validation panicked is in an unknown state and must not be used again.
	v.idle.Put(w)
	return err
}

// validate returns what the engine says about a document.
func (w *worker) validate(doc []byte) error {
	text, err := w.utf8(doc)
	if err != nil {
		return err
	}
	w.input.Reset(text)
	defer w.input.Reset(nil)
	return w.session.Validate(context.Background(), &w.input)
}

// asciiDeclaration is an XML declaration of US-ASCII, with a group from the name of the encoding to the end.
var asciiDeclaration = regexp.MustCompile(`^<\?xml [^>]*encoding\s*=\s*["']((?i:US-ASCII)["'])[^>]*\?>`)

// utf8 returns the document as the engine wants it. The engine reads UTF-8 only and refuses a document that declares
// anything else, but US-ASCII, which the kit's documents declare, is UTF-8 already. The declaration is then
// overwritten in a copy of equal length, so that every position stays what it was.
func (w *worker) utf8(doc []byte) ([]byte, error) {
	if !bytes.HasPrefix(doc, []byte("<?xml ")) {
		return doc, nil
	}
	at := asciiDeclaration.FindSubmatchIndex(doc)
	if at == nil {
		return doc, nil
	}
	for i, b := range doc {
		if b >= 0x80 {
			return nil, &xsderrors.Error{
				Category: xsderrors.CategoryUnsupported,
				Code:     xsderrors.CodeUnsupportedNonUTF8,
				Message:  "a byte that is not US-ASCII, which the document declares",
				Line:     1 + bytes.Count(doc[:i], []byte("\n")),
				Column:   i - bytes.LastIndexByte(doc[:i], '\n'),
			}
		}
	}
	w.recoded = append(w.recoded[:0], doc...)
	quote := string(doc[at[3]-1])
	copy(w.recoded[at[2]:], "UTF-8"+quote+"   ") // as long as US-ASCII and its quote
	return w.recoded, nil
}
