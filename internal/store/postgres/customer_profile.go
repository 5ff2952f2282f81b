package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// CustomerProfile returns the Customer_Profile of the customer with the given id, or *brokerage.NotFound.
func (s *Store) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.document(ctx, "customer_profile", "customer", id)
}
