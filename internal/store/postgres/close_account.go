package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// CloseAccount removes an account from its customer, or returns a *brokerage.Conflict if it is the last one.
func (s *Store) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	var doc []byte
	_, err := s.write(ctx, w, lockCustomer(customer, &doc), func() (change, error) {
		changed, err := brokerage.CloseAccount(doc, account)
		return change{statement: "replace_customer", args: []any{customer, changed}}, err
	})
	return err
}
