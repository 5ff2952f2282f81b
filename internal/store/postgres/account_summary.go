package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// AccountSummary returns a summary of a customer's accounts, or *tpox.NotFound.
func (s *Store) AccountSummary(ctx context.Context, id tpox.ID) ([]byte, error) {
	return s.document(ctx, "account_summary", "customer", id)
}
