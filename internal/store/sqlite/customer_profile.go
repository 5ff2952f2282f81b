package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

// CustomerProfile returns the profile of a customer.
func (s *Store) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.GetCustomer(ctx, id)
	if err != nil {
		return nil, err
	}
	return brokerage.CustomerProfile(doc), nil
}
