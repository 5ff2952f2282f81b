package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// RawDocument is a document as it came.
type RawDocument struct {
	Bytes  []byte
	Line   int
	Broken error // it cannot be one
}

// RawBatch is documents that are committed together.
type RawBatch struct {
	File      string
	Documents []RawDocument
	Position  string // behind the batch: where Source.Batches goes on
	Bytes     int64  // read for it, as the progress counts them
}

// Source is where LoadBatches takes documents from.
type Source struct {
	Name string // the same for the same documents
	// Contents is what is held once all documents are loaded, if none was
	// refused and as many came as it says. It may be zero.
	Contents brokerage.Contents
	Sample   func(k dataset.Kind, n int) [][]byte
	// Batches begins at a position, which is empty at first.
	Batches  func(position string) iter.Seq2[RawBatch, error]
	Validate bool // each document against its schema as well
	// Refused is told of each document that is not taken, at least once even if
	// the load is killed. An error ends the load before the batch.
	Refused func(file string, line int, err error) error
}

// Loaded is how far a load from a source has come.
type Loaded struct {
	Source    string                    `json:"source"`
	Position  string                    `json:"position"`
	Documents [len(dataset.Kinds)]int64 `json:"documents"`
	Raw       [len(dataset.Kinds)]int64 `json:"raw"` // bytes of the documents, in the normal form
	Refused   int64                     `json:"refused"`
	Done      bool                      `json:"done"`
}

// LoadBatches fills the store with documents from elsewhere: they are admitted,
// and those that are refused, because they are none, or their keys exist, are
// told and left out. Ended at any point, the same call goes on where it stopped,
// as LoadDataset does.
func (s *Store) LoadBatches(ctx context.Context, from Source, progress Progress) (l Loaded, err error) {
	if l, err = s.LoadedFrom(ctx); err != nil {
		return l, err
	}
	same := func(brokerage.Contents) bool { return l.Source == from.Name && l.Done }
	if done, err := s.loadDone(ctx, from.Name, same); done || err != nil {
		return l, err
	}
	l.Source = from.Name
	if err := s.train(ctx, from.Sample); err != nil {
		return l, err
	}
	begin := func(t *transaction) error { return t.set(settingLoaded, l) }
	load := func() error {
		prepare := func(b RawBatch) preparedBatch { return s.prepare(b, from.Validate) }
		insert := func(b preparedBatch) error {
			next := l
			err := s.writer.write(ctx, func(t *transaction) error {
				next = l
				return t.insertBatch(b, &next, from.Refused)
			})
			if err != nil {
				return err
			}
			if progress != nil {
				progress(len(b.rows), b.raw.Bytes)
			}
			l = next
			return nil
		}
		if err := inOrder(ctx, from.Batches(l.Position), prepare, insert); err != nil {
			return err
		}
		return s.control(ctx, `
			UPDATE leases SET next = max(next, (SELECT coalesce(max(id), 0) + 1 FROM orders)) WHERE kind = 'order';
			UPDATE leases SET next = max(next, (SELECT coalesce(max(id), 0) + 1 FROM customers)) WHERE kind = 'customer';
			UPDATE leases SET next = max(next, (SELECT coalesce(max(id), 0) + 1 FROM accounts)) WHERE kind = 'account';`)
	}
	finished := l
	err = s.loading(ctx, from.Name, begin, load, func(t *transaction) error {
		finished = l
		finished.Done = true
		return t.finish(finished, from.Contents)
	})
	if err == nil {
		l = finished
	}
	return l, err
}

// finish says what the store holds.
func (t *transaction) finish(l Loaded, expected brokerage.Contents) error {
	contents := brokerage.Contents{
		Fingerprint: fmt.Sprintf("%s/%d-%d-%d", l.Source, l.Documents[dataset.Security], l.Documents[dataset.Customer], l.Documents[dataset.Order]),
		Securities:  l.Documents[dataset.Security], Customers: l.Documents[dataset.Customer], Orders: l.Documents[dataset.Order],
	}
	if l.Refused == 0 && contents.Securities == expected.Securities && contents.Customers == expected.Customers && contents.Orders == expected.Orders {
		// All of a generated dataset: as if it had been loaded as such.
		contents = expected
		for _, k := range dataset.Kinds {
			if err := t.set(settingLoadedOf+k.String(), l.Documents[k]); err != nil {
				return err
			}
		}
	}
	for _, k := range dataset.Kinds {
		if err := t.set(settingRaw+k.String(), l.Raw[k]); err != nil {
			return err
		}
	}
	if err := t.set(settingContents, contents); err != nil {
		return err
	}
	return t.set(settingLoaded, l)
}

// preparedBatch is a batch on its way from a processor to the writer.
type preparedBatch struct {
	raw  RawBatch
	rows []preparedRow // one for each document of raw
}

type preparedRow struct {
	packedRow

	kind    dataset.Kind
	size    int // of the document
	refused error
}

func (s *Store) prepare(raw RawBatch, validate bool) preparedBatch {
	b := preparedBatch{raw: raw, rows: make([]preparedRow, len(raw.Documents))}
	var doc []byte
	for i := range raw.Documents {
		row := &b.rows[i]
		var err error
		if doc, err = xmldoc.AppendAdmitted(doc[:0], raw.Documents[i].Bytes, xmldoc.Limits{}); err != nil {
			row.refused = err
			continue
		}
		if row.refused = raw.Documents[i].Broken; row.refused != nil {
			continue
		}
		if row.kind, err = kindOf(doc); err == nil {
			row.keys, err = keysOf(row.kind, doc)
		}
		if err == nil && validate {
			err = validateKind(row.kind, doc)
		}
		if row.refused = err; err != nil {
			continue
		}
		row.size = len(doc)
		if row.doc = s.codec.Load().pack(kind(row.kind.String()), doc); s.options.Uncompressed {
			doc = nil // it is the row's now
		}
	}
	return b
}

// kindOf tells the kind of a document by its root element.
func kindOf(doc []byte) (dataset.Kind, error) {
	root := xmldoc.Root(doc)
	name := string(root.Local())
	switch space := root.Space(); {
	case space == brokerage.FIXMLNS && name == "FIXML":
		return dataset.Order, nil
	case space == brokerage.CustAccNS && name == "Customer":
		return dataset.Customer, nil
	case space == brokerage.SecurityNS && name == "Security":
		return dataset.Security, nil
	default:
		return 0, fmt.Errorf("element %s of namespace %q is neither a customer nor a security nor an order", name, space)
	}
}

func (t *transaction) insertBatch(b preparedBatch, l *Loaded, refused func(string, int, error) error) error {
	for i := range b.rows {
		row := &b.rows[i]
		why := row.refused
		if why == nil {
			var err error
			if why, err = t.insertNew(row.packedRow); err != nil {
				return err
			}
		}
		if why == nil {
			l.Documents[row.kind]++
			l.Raw[row.kind] += int64(row.size)
			continue
		}
		l.Refused++
		if err := refused(b.raw.File, b.raw.Documents[i].Line, why); err != nil {
			return err
		}
	}
	l.Position = b.raw.Position
	return t.set(settingLoaded, *l)
}

// insertNew is insertRow that refuses a document whose keys exist, and leaves
// nothing of it.
func (t *transaction) insertNew(row packedRow) (refused, err error) {
	err = t.insertRow(row)
	if err == nil {
		return nil, nil
	}
	conflict, isConflict := errors.AsType[*brokerage.Conflict](err)
	if !isConflict && !isDuplicate(err) {
		return nil, err
	}
	switch keys := row.keys.(type) {
	case brokerage.OrderKeys:
		return fmt.Errorf("order %d exists already", keys.ID), nil
	case securityRow:
		return fmt.Errorf("security %s exists already", keys.Symbol), nil
	case brokerage.CustomerKeys:
		if !isConflict {
			return fmt.Errorf("customer %d exists already", keys.ID), nil
		}
		// An account is another customer's: those before it go again.
		for _, account := range keys.Accounts {
			var customer int64
			err := t.row("customer_of", int64(account)).Scan(&customer)
			if err == nil && customer == int64(keys.ID) {
				err = t.delete("delete_account", "account", int64(account))
			}
			if err != nil && !noRows(err) {
				return nil, err
			}
		}
		return conflict, t.delete("delete_customer", "customer", int64(keys.ID))
	}
	return nil, err
}

// inOrder does work on all processors, and gives the results to sink in the
// order of what they were made from. When it returns nothing runs any more.
func inOrder[T, R any](ctx context.Context, source iter.Seq2[T, error], work func(T) R, sink func(R) error) error {
	type outcome struct {
		result R
		err    error
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	underWay := make(chan chan outcome, runtime.GOMAXPROCS(0))
	wg.Go(func() {
		defer close(underWay)
		for t, err := range source {
			place := make(chan outcome, 1)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				place <- outcome{err: err}
			}
			select {
			case underWay <- place:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
			wg.Go(func() { place <- outcome{result: work(t)} })
		}
	})
	for place := range underWay {
		o := <-place
		if o.err != nil {
			return o.err
		}
		if err := sink(o.result); err != nil {
			return err
		}
	}
	return ctx.Err()
}
