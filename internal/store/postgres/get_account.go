package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// GetAccount returns the account with the given id and its owner, or *tpox.NotFound. It looks up the owner, and cuts
// the account out of the customer here: parsing the document with libxml2 would take longer than transferring
// the rest of it.
func (s *Store) GetAccount(ctx context.Context, account tpox.ID) (found tpox.Account, err error) {
	err = s.again(ctx, func(ctx context.Context) error {
		var owner tpox.ID
		if err := s.read(ctx, "customer_of_account", []any{account}, &owner); noRows(err) {
			return tpox.NoAccount(account)
		} else if err != nil {
			return err
		}
		customer, err := s.document(ctx, "get_customer", "customer", owner)
		if err == nil {
			found, err = tpox.AccountOf(customer, account)
		}
		if tpox.Is[*tpox.NotFound](err) {
			return errMoved
		}
		return err
	}, s.mayTryAgain)
	return found, domainError(ctx, err, false)
}
