package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// DeleteCustomer deletes a customer with all accounts.
func (s *Store) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.remove(ctx, w, "delete_customer", id, brokerage.NoCustomer(id))
}
