package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// CustomerProfile returns the Customer_Profile of the customer with the given id, or *tpox.NotFound.
func (s *Store) CustomerProfile(ctx context.Context, id tpox.ID) ([]byte, error) {
	return s.document(ctx, "customer_profile", "customer", id)
}
