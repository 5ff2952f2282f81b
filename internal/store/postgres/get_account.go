package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// GetAccount returns the account with the given id and its owner, or *tpox.NotFound. It is cut out of the customer
// here: libxml2 would take longer to parse the document than the network takes for the rest of it.
func (s single) GetAccount(ctx context.Context, account tpox.ID) (tpox.Account, error) {
	customer, err := s.document(ctx, "get_customer_of_account", "account", account)
	if err != nil {
		return tpox.Account{}, err
	}
	return tpox.AccountOf(customer, account)
}

// GetAccount looks up the owner of the account first.
func (s spread) GetAccount(ctx context.Context, account tpox.ID) (found tpox.Account, err error) {
	missing := tpox.NoAccount(account)
	err = s.again(ctx, func(ctx context.Context) error {
		var owner tpox.ID
		if err := s.queryRow(ctx, "customer_of", missing, []any{account}, []any{&owner}); err != nil {
			return err
		}
		customer, err := s.document(ctx, "get_customer", "customer", owner)
		if err == nil {
			found, err = tpox.AccountOf(customer, account)
		}
		if tpox.Is[*tpox.NotFound](err) {
			return s.moved(ctx, "customer_of", account, owner, missing)
		}
		return err
	}, isMoved)
	return found, domainError(ctx, err, false)
}
