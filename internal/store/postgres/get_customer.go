package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetCustomer returns the customer with the given id, or *brokerage.NotFound.
func (s *Store) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.document(ctx, "get_customer", "customer", id)
}
