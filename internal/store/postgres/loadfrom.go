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

// LoadBatches fills the store with documents from elsewhere: they are admitted,
// and those that are refused, because they are none, or their keys exist, are
// told and left out. Ended at any point, the same call goes on where it stopped,
// as LoadDataset does.
func (s *Store) LoadBatches(ctx context.Context, from bulk.Source, progress bulk.Progress) (l bulk.Loaded, err error) {
	if l, err = s.LoadedFrom(ctx); err != nil {
		return l, err
	}
	same := func(brokerage.Contents) bool { return l.Source == from.Name && l.Done }
	if done, err := s.loadDone(ctx, from.Name, same); done || err != nil {
		return l, err
	}
	l.Source = from.Name
	finished := l
	err = s.loading(ctx, from.Name, func() error {
		prepare := func(b bulk.RawBatch) preparedBatch { return preparedBatch{bulk.Prepare(b, from.Validate)} }
		insert := func(b preparedBatch) error {
			next := l
			err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
				next = l
				return insertBatch(ctx, tx, b, &next, from.Refused)
			})
			if err != nil {
				return err
			}
			if progress != nil {
				progress(len(b.Documents), b.Raw.Bytes)
			}
			l = next
			return nil
		}
		return bulk.InOrder(ctx, from.Batches(l.Position), prepare, insert)
	}, func(tx pgx.Tx) error {
		finished = l
		finished.Done = true
		return finish(ctx, tx, finished, from.Contents)
	})
	if err == nil {
		l = finished
	}
	return l, err
}

// finish says what the store holds.
func finish(ctx context.Context, tx pgx.Tx, l bulk.Loaded, expected brokerage.Contents) error {
	if _, err := tx.Exec(ctx, `UPDATE brokerage.leases SET next = greatest(next, CASE kind
		WHEN 'order' THEN (SELECT coalesce(max((keys).id), 0) + 1 FROM brokerage.orders)
		WHEN 'customer' THEN (SELECT coalesce(max((keys).id), 0) + 1 FROM brokerage.customers)
		ELSE (SELECT coalesce(max(account), 0) + 1 FROM brokerage.accounts) END)`); err != nil {
		return err
	}
	for name, value := range l.Finished(expected) {
		if err := set(ctx, tx, name, value); err != nil {
			return err
		}
	}
	return nil
}

// preparedBatch is a batch on its way from a processor to the database.
type preparedBatch struct{ bulk.Prepared }

// insertBatch copies a batch, and if a key exists puts its documents in one by
// one, to tell which.
func insertBatch(ctx context.Context, tx pgx.Tx, b preparedBatch, l *bulk.Loaded, refused func(string, int, error) error) error {
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return b.copy(ctx, tx) })
	if isRefusal(err) {
		err = b.insert(ctx, tx)
	}
	if err != nil {
		return err
	}
	if err := l.Count(b.Prepared, refused); err != nil {
		return err
	}
	return set(ctx, tx, bulk.SettingLoaded, *l)
}

// isRefusal tells whether an error is about a document, and not about the load.
func isRefusal(err error) bool {
	if violated(err) != "" {
		return true
	}
	_, is := errors.AsType[*brokerage.Invalid](domainError(context.Background(), err, false))
	return is
}

func (b preparedBatch) copy(ctx context.Context, tx pgx.Tx) error {
	// Customers before orders, which are to know theirs.
	for _, k := range []dataset.Kind{dataset.Security, dataset.Customer, dataset.Order} {
		var docs [][]byte
		var accounts []int64
		for _, d := range b.Documents {
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

func (b preparedBatch) insert(ctx context.Context, tx pgx.Tx) error {
	for i := range b.Documents {
		d := &b.Documents[i]
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
			d.Refused = why(d, err)
		default:
			return err
		}
	}
	return nil
}

// accountOf is the account of an order, and 0 for other documents.
func accountOf(d bulk.PreparedDocument) int64 {
	keys, _ := d.Keys.(brokerage.OrderKeys)
	return int64(keys.Account)
}

// why is a refusal in terms of the document.
func why(d *bulk.PreparedDocument, err error) error {
	switch keys := d.Keys.(type) {
	case brokerage.OrderKeys:
		if violated(err) == "orders_id" {
			return orderExists(keys.ID)
		}
	case brokerage.CustomerKeys:
		if violated(err) != "" {
			return existing(err, keys)
		}
	case brokerage.SecurityKeys:
		if violated(err) == "securities_symbol" {
			return fmt.Errorf("security %s exists already", keys.Symbol)
		}
	}
	return domainError(context.Background(), err, false)
}
