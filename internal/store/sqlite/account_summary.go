package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

// AccountSummary returns a summary of a customer's accounts.
func (s *Store) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.GetCustomer(ctx, id)
	if err != nil {
		return nil, err
	}
	return brokerage.AccountSummary(doc), nil
}
