package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// GetCustomer returns the customer with the given id.
func (s *Store) GetCustomer(ctx context.Context, id tpox.ID) ([]byte, error) {
	return s.find(ctx, "get_customer", "customer", id)
}
