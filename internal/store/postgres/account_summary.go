package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// AccountSummary returns the statement of the customer with the given id, or *brokerage.NotFound.
func (s *Store) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.document(ctx, "account_summary", "customer", id)
}
