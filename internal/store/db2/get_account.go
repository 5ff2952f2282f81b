package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// GetAccount returns the account with the given id and its owner.
func (s *Store) GetAccount(ctx context.Context, account tpox.ID) (tpox.Account, error) {
	customer, err := s.find(ctx, "get_customer_of_account", "account", account)
	if err != nil {
		return tpox.Account{}, err
	}
	return tpox.AccountOf(customer, account)
}
