package db2

import (
	"context"
	"database/sql"
	"fmt"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/bulk"
)

// LoadBatches fills the store with documents from elsewhere; see bulk.Loader.
func (s *Store) LoadBatches(ctx context.Context, from bulk.Source, progress bulk.Progress) (bulk.Loaded, error) {
	loader := bulk.Loader[*tx]{
		Ledger: &s.Ledger,
		Done:   s.Done,
		Frame: func(ctx context.Context, at bulk.Loaded, load func() error, end func(*tx) error) error {
			return s.loading(ctx, at.Source, load, end)
		},
		Packing:     bulk.Packing{Keys: bulk.KeysOf},
		Write:       s.change,
		Insert:      (*tx).insertDocuments,
		RaiseLeases: (*tx).raiseLeases,
		Set:         (*tx).set,
	}
	return loader.Load(ctx, from, progress)
}

// insertDocuments puts in what it can. A statement that is refused leaves nothing
// of itself, and the transaction goes on.
func (t *tx) insertDocuments(documents []bulk.PreparedDocument) error {
	for i := range documents {
		d := &documents[i]
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
	return nil
}

// alreadyThere says which keys a document has of which one is there already.
func alreadyThere(keys any) error {
	switch keys := keys.(type) {
	case brokerage.OrderKeys:
		return brokerage.DuplicateOrder(keys.ID)
	case brokerage.CustomerKeys:
		return &brokerage.Conflict{
			Reason: brokerage.CustomerExists,
			Detail: fmt.Sprintf("customer %d, or one of the accounts %v, exists already", keys.ID, keys.Accounts),
		}
	case brokerage.SecurityKeys:
		return fmt.Errorf("security %s exists already", keys.Symbol)
	}
	return fmt.Errorf("keys of type %T", keys)
}

func (t *tx) raiseLeases() error {
	var order, customer, account sql.NullInt64
	if _, err := row(t.ctx, t, "greatest_ids", nil, []any{&order, &customer, &account}); err != nil {
		return err
	}
	for kind, last := range map[string]sql.NullInt64{"order": order, "customer": customer, "account": account} {
		if _, err := t.exec("raise_lease", last.Int64+1, kind, last.Int64+1); err != nil {
			return err
		}
	}
	return nil
}
