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
// levels, and no element can have more than the 64 attributes of an order. What goes far beyond is not a larger document
// but another kind of thing. The engine collects more findings than are reported, because some of them turn out to be
// consequences of others.
var limits = xsd.ValidateOptions{
	MaxErrors:             5 * MaxFindings,
	MaxInstanceDepth:      64,
	MaxInstanceAttributes: 256,
	MaxInstanceTextBytes:  4 << 20,
	MaxInstanceTokenBytes: 1 << 20,
	MaxInstanceBytes:      16 << 20,
}

// maxKept is the largest buffer that waits in the pool for the next document.
const maxKept = 64 << 10

// A Validator validates documents by one schema. It is safe for concurrent use.
type Validator struct {
	name    string
	root    xml.Name
	grammar *grammar
	fast    *automaton // nil for a schema beyond it
	empty   *emptyNames
	open    func() (engineSession, error)
	idle    sync.Pool // of *worker
}

// engineSession is the part of an engine's session that is used here. A session serves one document at a time.
type engineSession interface {
	Validate(context.Context, io.Reader) error
}

// worker is what one validation needs to itself.
type worker struct {
	session engineSession
	input   bytes.Reader
	recoded []byte
}

// Compile makes a Validator of the source of a schema. The schema has to be complete in itself. Documents must have
// the element root of its target namespace as their document element: XML Schema alone would take any element that is
// declared globally, which is more than any caller wants. The name stands in errors.
func Compile(name string, source []byte, root string) (*Validator, error) {
	engine, err := xsd.Compile(context.Background(), xsd.Bytes(name, source))
	if err != nil {
		return nil, fmt.Errorf("compile schema %s: %w", name, err)
	}
	v := &Validator{
		name:    strings.TrimSuffix(path.Base(name), ".xsd"),
		open:    func() (engineSession, error) { return engine.NewSession(limits) },
		grammar: parseGrammar(source),
	}
	v.empty = v.grammar.emptyNames()
	v.root = xml.Name{Space: v.grammar.namespace, Local: root}
	e := v.grammar.globals[v.root]
	if e == nil || e.abstract {
		return nil, fmt.Errorf("compile schema %s: no element %s that could be a document element", name, root)
	}
	v.fast = newAutomaton(v.grammar, e)
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

// judge is the verdict on a document that may be anything.
func (v *Validator) judge(doc []byte) error {
	err := v.run(doc)
	if err == nil && startsWith(doc, v.root) && !v.empty.mayHoldText(doc) {
		return nil
	}
	return v.review(doc, err)
}

// run has the engine validate a document.
func (v *Validator) run(doc []byte) error {
	w, ok := v.idle.Get().(*worker)
	if !ok {
		session, err := v.open()
		if err != nil {
			return fmt.Errorf("open session: %w", err)
		}
		w = &worker{session: session}
	}
	text, err := w.utf8(doc)
	if err == nil {
		w.input.Reset(text)
		err = w.session.Validate(context.Background(), &w.input)
		w.input.Reset(nil)
	}
	if cap(w.recoded) > maxKept {
		w.recoded = nil
	}
	// Not deferred: a worker whose validation panicked is in an unknown state and must not be lent out again.
	v.idle.Put(w)
	return err
}

// utf8 returns the document as the engine wants it. The engine reads UTF-8 only and takes a document by its word when
// it declares anything else, but US-ASCII, which the kit's documents declare, is UTF-8 already. The declaration is
// then overwritten in a copy of equal length, so that every position stays what it was.
func (w *worker) utf8(doc []byte) ([]byte, error) {
	from, to := declaredEncoding(doc)
	if from == 0 || !bytes.EqualFold(doc[from:to], []byte("US-ASCII")) {
		return doc, nil
	}
	for i, b := range doc {
		if b >= 0x80 {
			return nil, &notASCIIError{offset: i}
		}
	}
	w.recoded = append(w.recoded[:0], doc...)
	// The closing quote moves up behind the shorter name and blanks fill the gap.
	quote := doc[to]
	tail := w.recoded[from : to+1]
	n := copy(tail, "UTF-8")
	tail[n] = quote
	for i := n + 1; i < len(tail); i++ {
		tail[i] = ' '
	}
	return w.recoded, nil
}

// notASCIIError is a document that declares US-ASCII and is not.
type notASCIIError struct{ offset int }

func (*notASCIIError) Error() string {
	return "a byte that is not US-ASCII, which the document declares"
}
