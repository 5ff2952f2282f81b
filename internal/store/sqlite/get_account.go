package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var customerOf = &statement{name: "customer_of", depends: dependsOnCustomerFound}

// GetAccount returns the account with the given id and its owner, or *tpox.NotFound.
func (s *Store) GetAccount(ctx context.Context, account tpox.ID) (tpox.Account, error) {
	var id int64
	var packed []byte
	err := s.query(ctx, customerOfAccount, []any{int64(account)}, &id, &packed)
	if noRows(err) {
		err = tpox.NoAccount(account)
	}
	if err != nil {
		return tpox.Account{}, domainError(err)
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
