package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// AccountSummary returns a summary of a customer's accounts.
func (s *Store) AccountSummary(ctx context.Context, id tpox.ID) ([]byte, error) {
	return s.find(ctx, "account_summary", "customer", id)
}
