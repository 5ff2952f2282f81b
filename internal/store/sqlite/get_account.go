package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

// GetAccount returns the account with the given id and its owner, or *tpox.NotFound.
func (s *Store) GetAccount(ctx context.Context, account tpox.ID) (tpox.Account, error) {
	var id int64
	var packed []byte
	if err := s.query(ctx, customerOfAccount, []any{int64(account)}, &id, &packed); err != nil {
		return tpox.Account{}, missing("account", account, err)
	}
	customer, err := s.unpack(customers, id, packed)
	if err != nil {
		return tpox.Account{}, err
	}
	return tpox.AccountOf(customer, account)
}

// dependsOnCustomerFound returns the key of the customer that a lookup of an account depends on: the customer's id is
// the first column.
func dependsOnCustomerFound(_, columns []any) []documentKey {
	return []documentKey{keyOf(customers, columns[0])}
}
