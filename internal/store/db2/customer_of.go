package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// customerOf returns the id of the customer that an account belongs to.
func (s *Store) customerOf(ctx context.Context, account tpox.ID) (id tpox.ID, err error) {
	var found bool
	err = s.read(ctx, func() (err error) {
		found, err = row(ctx, s.db, "customer_of", []any{account.String()}, []any{&id})
		return err
	})
	if err == nil && !found {
		err = tpox.NoAccount(account)
	}
	return id, err
}

// duplicateAccount returns the *Conflict that names the first account of a customer that another customer has.
func (s *Store) duplicateAccount(ctx context.Context, keys tpox.CustomerKeys) error {
	duplicate := keys.Accounts[0] // if the other customer has closed it since
	for _, account := range keys.Accounts {
		owner, err := s.customerOf(ctx, account)
		if err == nil && owner != keys.ID {
			duplicate = account
			break
		}
		if _, none := err.(*tpox.NotFound); err != nil && !none { //nolint:errorlint // it is the store's own
			return err
		}
	}
	return tpox.DuplicateAccount(duplicate)
}
