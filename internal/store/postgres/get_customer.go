package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// GetCustomer returns the customer with the given id, or *tpox.NotFound.
func (s *Store) GetCustomer(ctx context.Context, id tpox.ID) ([]byte, error) {
	return s.document(ctx, "get_customer", "customer", id)
}
