package store

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// A prepared is a batch whose documents are ready to be written to the database.
type prepared struct {
	raw       RawBatch
	documents []PreparedDocument // one for each of raw.Documents
}

// A PreparedDocument is a document that was admitted, or the error with which it was refused.
type PreparedDocument struct {
	Kind    dataset.Kind
	Size    int    // bytes in the normal form
	Doc     []byte // as it is stored
	Keys    any    // by Packing.Keys
	Refused error
}

// A Packing has the functions that prepare documents for a store.
type Packing struct {
	// Keys reads the keys of a document. If it returns an error, the document is refused.
	Keys func(k dataset.Kind, doc []byte) (any, error)
	// Pack returns what is stored of a document, in memory of its own. If Pack is nil, the normal form is stored.
	Pack func(k dataset.Kind, doc []byte) []byte
}

// prepare admits the documents of a batch, and validates them on request.
func (p *Packing) prepare(raw RawBatch, validate bool) prepared {
	b := prepared{raw: raw, documents: make([]PreparedDocument, len(raw.Documents))}
	var memory []byte
	for i, document := range raw.Documents {
		d := &b.documents[i]
		doc, err := xmldoc.AppendAdmitted(memory, document.Bytes, xmldoc.Limits{})
		if err == nil {
			err = document.Broken
		}
		if err == nil {
			d.Kind, err = kindOf(doc)
		}
		if err == nil {
			d.Keys, err = p.Keys(d.Kind, doc)
		}
		if err == nil && validate {
			err = Validate(d.Kind, doc)
		}
		switch {
		case err != nil:
			d.Refused = err
		case p.Pack != nil:
			d.Size, d.Doc = len(doc), p.Pack(d.Kind, doc)
		default:
			d.Size, d.Doc = len(doc), doc
		}
		if p.Pack != nil { // otherwise the memory is the document's
			memory = doc[:0]
		}
	}
	return b
}

// generate prepares the documents of kind k from number first to number last-1 of a dataset.
func (p *Packing) generate(d *dataset.Dataset, k dataset.Kind, first, last int64) prepared {
	b := prepared{raw: RawBatch{Documents: make([]RawDocument, last-first)}}
	var memory []byte
	for i := first; i < last; i++ {
		doc := d.Append(memory, k, i)
		g := PreparedDocument{Kind: k, Size: len(doc), Doc: doc}
		g.Keys, g.Refused = p.Keys(k, doc)
		if p.Pack != nil { // otherwise the memory is the document's
			g.Doc, memory = p.Pack(k, doc), doc[:0]
		}
		b.documents = append(b.documents, g)
		b.raw.Bytes += int64(len(doc))
	}
	return b
}

// InOrder calls work(t) for each t of the source, on all processors, and passes the results to sink in the order of the
// source. When it returns, all its goroutines have ended.
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

// Most documents have a few kilobytes. A write of one of the largest keeps a processor busy for twenty times as long,
// and on the embedded store also the writer, for which all other writes wait, so that a few clients with such documents
// would delay everybody. Therefore the total size of large documents written at once is limited, and writing them
// takes at most half of the time.
const (
	// SmallBytes is the size up to which a document is written without that limit. Nearly all documents are that small.
	SmallBytes = 16 << 10
	// LargeBytes is the greatest total size of large documents that are written at once. A document of that size (the
	// default of --max-body) or more is written alone.
	LargeBytes = 128 << 10
)

// ErrLarge ends the first attempt of a write that meets a large document: the write waits for its turn and is repeated.
var ErrLarge = errors.New("the document is large")

// LargeWrites gives the writes of large documents their turns.
type LargeWrites struct{ weight *semaphore.Weighted }

// NewLargeWrites returns LargeWrites in which no write runs.
func NewLargeWrites() LargeWrites { return LargeWrites{semaphore.NewWeighted(LargeBytes)} }

// Enter waits until a document of size bytes may be written. The caller calls leave() after the write. The weight then
// stays taken for as long again as the write took.
func (l LargeWrites) Enter(ctx context.Context, size int) (leave func(), err error) {
	if size <= SmallBytes {
		return func() {}, nil
	}
	weight := int64(min(size, LargeBytes))
	if err := l.weight.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	began := time.Now()
	return func() {
		time.AfterFunc(time.Since(began), func() { l.weight.Release(weight) })
	}, nil
}
