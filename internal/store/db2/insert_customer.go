package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// InsertCustomer inserts a customer with its accounts.
func (s *Store) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, validate bool,
) (brokerage.ID, error) {
	keys, err := brokerage.CustomerKeysOf(doc)
	if err != nil {
		return 0, err
	}
	_, err = s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		_, err := t.exec(asIs("insert_customer", validate), doc)
		if isDuplicate(err) {
			return nil, t.duplicateCustomer(keys, doc)
		}
		return nil, withFindings(err, brokerage.ValidateCustomer, doc)
	})
	return keys.ID, err
}

// duplicateCustomer returns the *Conflict that names the id which a customer shares with another. Db2's error names
// only the number of an index; looking at the customers takes no more than looking that up in the catalog.
func (t *tx) duplicateCustomer(keys brokerage.CustomerKeys, doc []byte) error {
	exists, err := hasCustomer(t.ctx, t, keys.ID)
	switch {
	case err != nil:
		return err
	case exists:
		return t.duplicate("get_customer", keys.ID, doc, brokerage.DuplicateCustomer(keys.ID))
	}
	return t.duplicateAccount(keys)
}
