package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetCustomer returns the customer with the given id.
func (s *Store) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.find(ctx, "get_customer", "customer", id)
}
