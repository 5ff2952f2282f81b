package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

var customerOf = &statement{name: "customer_of", depends: dependsOnCustomerFound}

// CustomerOf returns the customer that an account belongs to.
func (s *Store) CustomerOf(ctx context.Context, account brokerage.ID) (brokerage.ID, error) {
	var id int64
	err := s.find(ctx, customerOf, int64(account), &id)
	if noRows(err) {
		err = brokerage.NoAccount(account)
	}
	if err != nil {
		return 0, domainError(err) // id may be from an outdated snapshot
	}
	return brokerage.ID(id), nil
}

// dependsOnCustomerFound returns the key of the customer that a lookup of an account depends on: the customer's id is
// the first column.
func dependsOnCustomerFound(_ any, columns []any) []documentKey {
	return []documentKey{keyOf(customers, columns[0])}
}
