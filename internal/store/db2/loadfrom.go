package db2

import (
	"context"
	"database/sql"
	"fmt"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// LoadBatches fills the store with documents from a source; see store.Loader.
func (s *Store) LoadBatches(ctx context.Context, from store.Source, progress store.Progress) (store.Loaded, error) {
	loader := store.Loader[*tx]{
		Ledger:      &s.Ledger,
		Frame:       s.loading,
		Packing:     store.Packing{Keys: store.KeysOf},
		Write:       s.change,
		Insert:      (*tx).insertDocuments,
		RaiseLeases: (*tx).raiseLeasesToGreatest,
		Set:         (*tx).set,
	}
	return loader.Load(ctx, from, progress)
}

// insertDocuments inserts the documents that the database accepts, and sets Refused in the others. A refused statement
// changes nothing, and the transaction continues.
func (t *tx) insertDocuments(documents []store.PreparedDocument) error {
	for i := range documents {
		d := &documents[i]
		if d.Refused != nil {
			continue
		}
		_, err := t.exec(inserts[d.Kind], d.Doc)
		if domain := domainError(t.ctx, err, false); isDuplicate(err) {
			d.Refused = duplicateKeys(d.Keys)
		} else if _, is := domain.(*tpox.Invalid); is { //nolint:errorlint // it is domainError's own
			d.Refused = domain
		} else if err != nil {
			return err
		}
	}
	return nil
}

// duplicateKeys returns the error for a document whose keys, or one of them, exist already.
func duplicateKeys(keys any) error {
	switch keys := keys.(type) {
	case tpox.OrderKeys:
		return tpox.DuplicateOrder(keys.ID)
	case tpox.CustomerKeys:
		return &tpox.Conflict{
			Reason: tpox.CustomerExists,
			Detail: fmt.Sprintf("customer %d, or one of the accounts %v, exists already", keys.ID, keys.Accounts),
		}
	case tpox.SecurityKeys:
		return fmt.Errorf("security %s exists already", keys.Symbol)
	}
	return fmt.Errorf("keys of type %T", keys)
}

// raiseLeasesToGreatest makes leases begin after the greatest ids in the documents.
func (t *tx) raiseLeasesToGreatest() error {
	var order, customer, account sql.NullInt64
	if _, err := row(t.ctx, t, "greatest_ids", nil, []any{&order, &customer, &account}); err != nil {
		return err
	}
	return t.raiseLeases(map[string]int64{
		"order": order.Int64 + 1, "customer": customer.Int64 + 1, "account": account.Int64 + 1,
	})
}

// raiseLeases makes leases of each kind begin at the given id or later.
func (t *tx) raiseLeases(next map[string]int64) error {
	for kind, id := range next {
		if _, err := t.exec("raise_lease", id, kind, id); err != nil {
			return err
		}
	}
	return nil
}
