package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// DeleteCustomer deletes a customer with all accounts.
func (s *Store) DeleteCustomer(ctx context.Context, w tpox.Write, id tpox.ID) error {
	return s.remove(ctx, w, "delete_customer", id, tpox.NoCustomer(id))
}
