package sqlite

import (
	"context"
	"errors"
	"fmt"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
	"brokerage/internal/xmldoc"
)

// What a load from elsewhere works with is the same for every store.
type (
	RawDocument = bulk.RawDocument
	RawBatch    = bulk.RawBatch
	Source      = bulk.Source
	Loaded      = bulk.Loaded
)

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
	begin := func(t *transaction) error { return t.set(bulk.SettingLoaded, l) }
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
		if err := bulk.InOrder(ctx, from.Batches(l.Position), prepare, insert); err != nil {
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
	for name, value := range l.Finished(expected) {
		if err := t.set(name, value); err != nil {
			return err
		}
	}
	return nil
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
		if row.kind, err = bulk.KindOf(doc); err == nil {
			row.keys, err = keysOf(row.kind, doc)
		}
		if err == nil && validate {
			err = bulk.Validate(row.kind, doc)
		}
		if row.refused = err; err != nil {
			continue
		}
		row.size = len(doc)
		if row.doc = s.pack(kind(row.kind.String()), doc); s.options.Uncompressed {
			doc = nil // it is the row's now
		}
	}
	return b
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
	return t.set(bulk.SettingLoaded, *l)
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
		return conflict, t.deleteCustomer(keys.ID)
	}
	return nil, err
}
