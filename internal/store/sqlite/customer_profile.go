package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

// CustomerProfile returns the profile of a customer.
func (s *Store) CustomerProfile(ctx context.Context, id tpox.ID) ([]byte, error) {
	doc, err := s.GetCustomer(ctx, id)
	if err != nil {
		return nil, err
	}
	return tpox.CustomerProfile(doc), nil
}
