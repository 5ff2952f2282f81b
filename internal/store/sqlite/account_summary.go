package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

// AccountSummary returns a summary of a customer's accounts.
func (s *Store) AccountSummary(ctx context.Context, id tpox.ID) ([]byte, error) {
	doc, err := s.GetCustomer(ctx, id)
	if err != nil {
		return nil, err
	}
	return tpox.AccountSummary(doc), nil
}
