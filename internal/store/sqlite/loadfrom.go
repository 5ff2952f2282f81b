package sqlite

import (
	"context"
	"errors"
	"fmt"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// The types of a load from a source are the same for every store.
type (
	RawDocument = bulk.RawDocument
	RawBatch    = bulk.RawBatch
	Source      = bulk.Source
	Loaded      = bulk.Loaded
)

// LoadBatches fills the store with documents from a source; see bulk.Loader.
func (s *Store) LoadBatches(ctx context.Context, from Source, progress Progress) (Loaded, error) {
	loader := bulk.Loader[*transaction]{
		Ledger: &s.Ledger,
		Done:   s.loadDone,
		Frame: func(ctx context.Context, at Loaded, load func() error, end func(*transaction) error) error {
			if err := s.train(ctx, from.Sample); err != nil {
				return err
			}
			begin := func(t *transaction) error { return t.set(bulk.SettingLoaded, at) }
			return s.loading(ctx, at.Source, begin, load, end)
		},
		Packing: bulk.Packing{
			Keys: keysOf,
			Pack: func(k dataset.Kind, doc []byte) []byte { return s.pack(kind(k.String()), doc) },
		},
		Write:       s.writer.write,
		Insert:      (*transaction).insertDocuments,
		RaiseLeases: (*transaction).raiseLeases,
		Set:         (*transaction).set,
	}
	return loader.Load(ctx, from, progress)
}

func (t *transaction) raiseLeases() error {
	t.changed = true
	_, err := t.w.conn.ExecContext(context.Background(), `
		UPDATE leases SET next = max(next, CASE kind
			WHEN 'order' THEN (SELECT coalesce(max(id), 0) + 1 FROM orders)
			WHEN 'customer' THEN (SELECT coalesce(max(id), 0) + 1 FROM customers)
			ELSE (SELECT coalesce(max(id), 0) + 1 FROM accounts) END)`)
	return err
}

func (t *transaction) insertDocuments(documents []bulk.PreparedDocument) (err error) {
	for i := range documents {
		d := &documents[i]
		if d.Refused != nil {
			continue
		}
		if d.Refused, err = t.insertNew(packedRow{d.Keys, d.Doc}); err != nil {
			return err
		}
	}
	return nil
}

// insertNew inserts a row. If keys of the document exist, it returns that as refused, and stores nothing of the
// document.
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
		return brokerage.DuplicateOrder(keys.ID), nil
	case securityRow:
		return fmt.Errorf("security %s exists already", keys.Symbol), nil
	case brokerage.CustomerKeys:
		if !isConflict {
			return brokerage.DuplicateCustomer(keys.ID), nil
		}
		// An account belongs to another customer: the accounts before it are removed again.
		for _, account := range keys.Accounts {
			var customer int64
			err := t.row(customerOf, int64(account)).Scan(&customer)
			if err == nil && customer == int64(keys.ID) {
				err = t.deleteAccount(account)
			}
			if err != nil && !noRows(err) {
				return nil, err
			}
		}
		return conflict, t.deleteCustomer(keys.ID)
	}
	return nil, err
}
