package db2

import (
	"cmp"
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
	_, err := s.GetCustomer(ctx, keys.ID)
	if _, none := err.(*tpox.NotFound); none { //nolint:errorlint // it is the store's own
		return s.duplicateAccount(ctx, keys)
	}
	return cmp.Or[error](err, tpox.DuplicateCustomer(keys.ID))
}

// duplicateAccount returns the *Conflict that names the first of a customer's accounts that another customer has.
func (s *Store) duplicateAccount(ctx context.Context, keys tpox.CustomerKeys) error {
	for _, account := range keys.Accounts {
		found, err := s.GetAccount(ctx, account)
		if err == nil && found.Customer != keys.ID {
			return tpox.DuplicateAccount(account)
		}
		if _, none := err.(*tpox.NotFound); err != nil && !none { //nolint:errorlint // it is the store's own
			return err
		}
	}
	return tpox.DuplicateAccount(keys.Accounts[0]) // the other customer has closed the account since
}
