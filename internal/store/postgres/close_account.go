package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// CloseAccount removes an account from its customer, or returns a *tpox.Conflict if it is the last one.
func (s *Store) CloseAccount(ctx context.Context, w tpox.Write, customer, account tpox.ID) error {
	return s.reviseCustomer(ctx, w, customer, func(doc []byte) ([]byte, error) {
		return tpox.CloseAccount(doc, account)
	})
}
