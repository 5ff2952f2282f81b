package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// CloseAccount removes an account from its customer, or returns a *tpox.Conflict if it is the last one.
func (s *Store) CloseAccount(ctx context.Context, w tpox.Write, customer, account tpox.ID) error {
	var doc []byte
	_, err := s.write(ctx, w, lockCustomer(customer, &doc), func() (steps []step, answer []byte, err error) {
		changed, err := tpox.CloseAccount(doc, account)
		if err == nil {
			steps, err = replaceCustomer(doc, changed)
		}
		return steps, nil, err
	})
	return err
}
