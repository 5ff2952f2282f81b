package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetAccount returns the account with the given id and its owner.
func (s *Store) GetAccount(ctx context.Context, account brokerage.ID) (brokerage.Account, error) {
	customer, err := s.find(ctx, "get_customer_of_account", "account", account)
	if err != nil {
		return brokerage.Account{}, err
	}
	return brokerage.AccountOf(customer, account)
}
