package sqlite

import (
	"context"
	"errors"
	"fmt"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// LoadBatches fills the store with documents from a source; see bulk.Loader.
func (s *Store) LoadBatches(ctx context.Context, from bulk.Source, progress bulk.Progress) (bulk.Loaded, error) {
	loader := bulk.Loader[*transaction]{
		Ledger: &s.Ledger,
		Done:   s.loadDone,
		Frame: func(ctx context.Context, at bulk.Loaded, load func() error, end func(*transaction) error) error {
			if err := s.train(ctx, from.Sample); err != nil {
				return err
			}
			return s.loading(ctx, map[string]any{bulk.SettingLoading: at.Source, bulk.SettingLoaded: at}, load, end)
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
		if d.Refused == nil {
			d.Refused, err = t.insertNew(*d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// insertNew stores a document. If keys of the document exist, it returns that as refused, and stores nothing of the
// document.
func (t *transaction) insertNew(doc bulk.PreparedDocument) (refused, err error) {
	err = t.insert(doc)
	conflict, isConflict := errors.AsType[*brokerage.Conflict](err)
	if !isConflict && !isDuplicate(err) {
		return nil, err
	}
	switch keys := doc.Keys.(type) {
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
