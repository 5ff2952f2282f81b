package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// InsertCustomer inserts a customer with its accounts.
func (s *Store) InsertCustomer(
	ctx context.Context, w tpox.Write, doc []byte, validate bool,
) (tpox.ID, error) {
	keys, err := tpox.CustomerKeysOf(doc)
	if err != nil {
		return 0, err
	}
	var maybeDone bool
	_, err = s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		maybeDone = t.maybeDone
		_, err := t.exec(asIs("insert_customer", validate), doc)
		return nil, err
	})
	switch {
	case isDuplicateKey(err) && maybeDone && s.holds(ctx, "get_customer", keys.ID, doc):
		err = nil
	case isDuplicateKey(err):
		err = s.duplicateCustomer(ctx, keys)
	case validate:
		err = withFindings(err, func() error { return tpox.ValidateCustomer(doc) })
	}
	return keys.ID, err
}

// duplicateCustomer returns the *Conflict that names the id which a customer shares with another. Db2's error names
// only the number of an index; reading the customers takes no longer than finding that number in the catalog.
func (s *Store) duplicateCustomer(ctx context.Context, keys tpox.CustomerKeys) error {
	var exists bool
	err := s.read(ctx, func() (err error) {
		exists, err = hasCustomer(ctx, s.db, keys.ID)
		return err
	})
	switch {
	case err != nil:
		return err
	case exists:
		return tpox.DuplicateCustomer(keys.ID)
	}
	return s.duplicateAccount(ctx, keys)
}
