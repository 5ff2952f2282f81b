package schema

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/jacoelho/xsd"
)

var (
	customer = Body("custacc.xsd", "Customer")
	security = Body("security.xsd", "Security")
	order    = Body("order.xsd", "FIXML")
)

// Customer validates customer documents: root Customer, with accounts and holdings.
func Customer() *Validator { return customer() }

// Security validates documents of stocks, bonds and funds: root Security.
func Security() *Validator { return security() }

// Order validates FIXML documents with one new order: root FIXML.
func Order() *Validator { return order() }

// MaxFindings is the largest number of findings in an Error.
const MaxFindings = 20

// limits bound the work for one document. The largest documents of the benchmark have 23 KB and seven
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

// engineSession is the part of xsd.Session that is used here. It validates one document at a time.
type engineSession interface {
	Validate(context.Context, io.Reader) error
}

// A worker holds what one validation at a time may use.
type worker struct {
	session   engineSession
	input     bytes.Reader
	structure structure
}

// Compile returns a Validator for the source of a schema, which must not include or import others. The document element
// must be the element root of the target namespace: XML Schema by itself allows every global element there. The name is
// used in errors.
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
	e := grammar.parts["element "+root]
	if e == nil || e.attrs["abstract"] == "true" {
		return nil, fmt.Errorf("compile schema %s: no element %s that could be a document element", name, root)
	}
	v.fast = newAutomaton(grammar, e)
	// The first session is opened here, so that limits that the engine refuses show now and not under load.
	session, err := v.open()
	if err != nil {
		return nil, fmt.Errorf("open session for schema %s: %w", name, err)
	}
	v.idle.Put(&worker{session: session})
	return v, nil
}

// Validate returns nil for a valid document and an *Error for any other. Any other kind of error means that the engine
// failed. The document must be in the normal form of package xmldoc.
//
// There is no context: most documents take a fraction of a millisecond, and the limits bound the others.
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
		w.structure = structure{}
	}
	// Not deferred: a worker whose validation panicked is in an unknown state and must not be used again.
	v.idle.Put(w)
	return err
}

// validate returns what the engine says about a document.
func (w *worker) validate(doc []byte) error {
	w.input.Reset(doc)
	defer w.input.Reset(nil)
	return w.session.Validate(context.Background(), &w.input)
}
