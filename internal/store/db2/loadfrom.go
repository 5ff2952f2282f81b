package db2

import (
	"context"
	"database/sql"
	"fmt"

	"brokerage/internal/brokerage"
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
	if done, err := s.Done(ctx, from.Name, same); done || err != nil {
		return l, err
	}
	l.Source = from.Name
	finished := l
	err = s.loading(ctx, from.Name, func() error {
		prepare := func(b bulk.RawBatch) bulk.Prepared { return bulk.Prepare(b, from.Validate) }
		insert := func(b bulk.Prepared) error {
			next := l
			if err := s.change(ctx, func(t *tx) error {
				next = l
				return t.insertBatch(b, &next, from.Refused)
			}); err != nil {
				return err
			}
			if progress != nil {
				progress(len(b.Documents), b.Raw.Bytes)
			}
			l = next
			return nil
		}
		return bulk.InOrder(ctx, from.Batches(l.Position), prepare, insert)
	}, func(t *tx) error {
		finished = l
		finished.Done = true
		return t.finish(finished, from.Contents)
	})
	if err == nil {
		l = finished
	}
	return l, err
}

// insertBatch puts in what it can. A statement that is refused leaves nothing of
// itself, and the transaction goes on.
func (t *tx) insertBatch(b bulk.Prepared, l *bulk.Loaded, refused func(string, int, error) error) error {
	for i := range b.Documents {
		d := &b.Documents[i]
		if d.Refused != nil {
			continue
		}
		_, err := t.exec(inserts[d.Kind], d.Doc)
		if domain := domainError(t.ctx, err, false); isDuplicate(err) {
			d.Refused = alreadyThere(d.Keys)
		} else if _, is := domain.(*brokerage.Invalid); is { //nolint:errorlint // it is domainError's own
			d.Refused = domain
		} else if err != nil {
			return err
		}
	}
	if err := l.Count(b, refused); err != nil {
		return err
	}
	return t.set(bulk.SettingLoaded, *l)
}

// alreadyThere says which keys a document has of which one is there already.
func alreadyThere(keys any) error {
	switch keys := keys.(type) {
	case brokerage.OrderKeys:
		return exists(brokerage.OrderExists, "order %d exists already", keys.ID)
	case brokerage.CustomerKeys:
		return exists(brokerage.CustomerExists, "customer %d, or one of the accounts %v, exists already", keys.ID, keys.Accounts)
	case brokerage.SecurityKeys:
		return fmt.Errorf("security %s exists already", keys.Symbol)
	}
	return fmt.Errorf("keys of type %T", keys)
}

// finish says what the store holds.
func (t *tx) finish(l bulk.Loaded, expected brokerage.Contents) error {
	var order, customer, account sql.NullInt64
	if _, err := row(t.ctx, t, "greatest_ids", nil, []any{&order, &customer, &account}); err != nil {
		return err
	}
	for kind, last := range map[string]sql.NullInt64{"order": order, "customer": customer, "account": account} {
		if _, err := t.exec("raise_lease", last.Int64+1, kind, last.Int64+1); err != nil {
			return err
		}
	}
	for name, value := range l.Finished(expected) {
		if err := t.set(name, value); err != nil {
			return err
		}
	}
	return nil
}
