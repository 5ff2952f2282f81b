package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// CustomerProfile returns the profile of a customer.
func (s *Store) CustomerProfile(ctx context.Context, id tpox.ID) ([]byte, error) {
	return s.find(ctx, "customer_profile", "customer", id)
}
