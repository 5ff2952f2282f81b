package store

import (
	"context"
	"iter"
	"runtime"
	"sync"

	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// A prepared is a batch on its way from a processor to the database.
type prepared struct {
	raw       RawBatch
	documents []PreparedDocument // one for each of raw
}

// A PreparedDocument is a document that was admitted, or why it was refused.
type PreparedDocument struct {
	Kind    dataset.Kind
	Size    int    // in the normal form
	Doc     []byte // as it is stored
	Keys    any    // by Packing.Keys
	Refused error
}

// A Packing says in which form a store needs documents.
type Packing struct {
	// Keys reads the keys of a document. Its errors refuse the document.
	Keys func(k dataset.Kind, doc []byte) (any, error)
	// Pack returns what is stored, in memory of its own. If Pack is nil, the normal form is stored.
	Pack func(k dataset.Kind, doc []byte) []byte
}

// prepare admits the documents of a batch, and validates them on request.
func (p *Packing) prepare(raw RawBatch, validate bool) prepared {
	b := prepared{raw: raw, documents: make([]PreparedDocument, len(raw.Documents))}
	var doc []byte
	for i, document := range raw.Documents {
		if p.Pack == nil {
			doc = nil // its memory belongs to the document before
		}
		doc = p.document(&b.documents[i], doc[:0], document, validate)
	}
	return b
}

// document prepares a document in the given memory, and returns it to be used again.
func (p *Packing) document(d *PreparedDocument, memory []byte, raw RawDocument, validate bool) []byte {
	doc, err := xmldoc.AppendAdmitted(memory, raw.Bytes, xmldoc.Limits{})
	if err == nil {
		err = raw.Broken
	}
	if err == nil {
		d.Kind, err = KindOf(doc)
	}
	if err == nil {
		d.Keys, err = p.Keys(d.Kind, doc)
	}
	if err == nil && validate {
		err = Validate(d.Kind, doc)
	}
	if d.Refused = err; err != nil {
		return doc
	}
	if d.Size, d.Doc = len(doc), doc; p.Pack != nil {
		d.Doc = p.Pack(d.Kind, doc)
	}
	return doc
}

// InOrder calls work on all processors and passes the results to sink in the order of the source. When it returns, all
// its goroutines have ended.
func InOrder[T, R any](ctx context.Context, source iter.Seq2[T, error], work func(T) R, sink func(R) error) error {
	type outcome struct {
		value R
		err   error
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	running := make(chan chan outcome, runtime.GOMAXPROCS(0))
	wg.Go(func() {
		defer close(running)
		for t, err := range source {
			result := make(chan outcome, 1)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				result <- outcome{err: err}
			}
			select {
			case running <- result:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
			wg.Go(func() { result <- outcome{value: work(t)} })
		}
	})
	for result := range running {
		o := <-result
		if o.err != nil {
			return o.err
		}
		if err := sink(o.value); err != nil {
			return err
		}
	}
	return ctx.Err()
}
