package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// CustomerProfile returns the profile of a customer.
func (s *Store) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.find(ctx, "customer_profile", "customer", id)
}
