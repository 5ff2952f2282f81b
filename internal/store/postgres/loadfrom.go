package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// LoadBatches fills the store with documents from elsewhere; see bulk.Loader.
func (s *Store) LoadBatches(ctx context.Context, from bulk.Source, progress bulk.Progress) (bulk.Loaded, error) {
	loader := bulk.Loader[pgx.Tx]{
		Ledger: &s.Ledger,
		Done:   s.loadDone,
		Frame: func(ctx context.Context, at bulk.Loaded, load func() error, end func(pgx.Tx) error) error {
			return s.loading(ctx, at.Source, load, end)
		},
		Packing: bulk.Packing{Keys: bulk.KeysOf},
		Write:   func(ctx context.Context, do func(pgx.Tx) error) error { return pgx.BeginFunc(ctx, s.pool, do) },
		Insert: func(tx pgx.Tx, documents []bulk.PreparedDocument) error {
			return insertDocuments(ctx, tx, documents)
		},
		RaiseLeases: func(tx pgx.Tx) error { return raiseLeases(ctx, tx) },
		Set:         func(tx pgx.Tx, name string, value any) error { return set(ctx, tx, name, value) },
	}
	return loader.Load(ctx, from, progress)
}

func raiseLeases(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `UPDATE brokerage.leases SET next = greatest(next, CASE kind
		WHEN 'order' THEN (SELECT coalesce(max((keys).id), 0) + 1 FROM brokerage.orders)
		WHEN 'customer' THEN (SELECT coalesce(max((keys).id), 0) + 1 FROM brokerage.customers)
		ELSE (SELECT coalesce(max(account), 0) + 1 FROM brokerage.accounts) END)`)
	return err
}

// insertDocuments copies documents together, and one by one when a key exists, to find out which.
func insertDocuments(ctx context.Context, tx pgx.Tx, documents []bulk.PreparedDocument) error {
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return copyAtOnce(ctx, tx, documents) })
	if isRefusal(err) {
		err = copyEach(ctx, tx, documents)
	}
	return err
}

// isRefusal reports whether an error is about a document, and not about the load.
func isRefusal(err error) bool {
	if violated(err) != "" {
		return true
	}
	_, is := errors.AsType[*brokerage.Invalid](domainError(context.Background(), err, false))
	return is
}

func copyAtOnce(ctx context.Context, tx pgx.Tx, documents []bulk.PreparedDocument) error {
	// Customers before orders, whose rows name theirs.
	for _, k := range []dataset.Kind{dataset.Security, dataset.Customer, dataset.Order} {
		var docs [][]byte
		var accounts []int64
		for _, d := range documents {
			if d.Refused == nil && d.Kind == k {
				docs, accounts = append(docs, d.Doc), append(accounts, accountOf(d))
			}
		}
		if len(docs) == 0 {
			continue
		}
		if err := copyDocuments(ctx, tx, k, docs, accounts); err != nil {
			return err
		}
	}
	return nil
}

func copyEach(ctx context.Context, tx pgx.Tx, documents []bulk.PreparedDocument) error {
	for i := range documents {
		d := &documents[i]
		if d.Refused != nil {
			continue
		}
		// A savepoint each, so that what is refused leaves nothing.
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
			return copyDocuments(ctx, tx, d.Kind, [][]byte{d.Doc}, []int64{accountOf(*d)})
		})
		switch {
		case err == nil:
		case isRefusal(err):
			d.Refused = refusalOf(ctx, tx, d, err)
		default:
			return err
		}
	}
	return nil
}

// accountOf returns the account of an order, and 0 for other documents.
func accountOf(d bulk.PreparedDocument) int64 {
	keys, _ := d.Keys.(brokerage.OrderKeys)
	return int64(keys.Account)
}

// refusalOf returns the error of the domain for a refused document.
func refusalOf(ctx context.Context, q querier, d *bulk.PreparedDocument, err error) error {
	switch keys := d.Keys.(type) {
	case brokerage.OrderKeys:
		if violated(err) == "orders_id" {
			return brokerage.DuplicateOrder(keys.ID)
		}
	case brokerage.CustomerKeys:
		if violated(err) != "" {
			return existing(ctx, q, err, keys)
		}
	case brokerage.SecurityKeys:
		if violated(err) == "securities_symbol" {
			return fmt.Errorf("security %s exists already", keys.Symbol)
		}
	}
	return domainError(ctx, err, false)
}
