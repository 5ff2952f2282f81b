package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// CloseAccount removes an account from its customer, or returns a *brokerage.Conflict where it is the last one.
func (s *Store) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	var doc []byte
	_, err := s.write(ctx, w,
		[]reading{{"lock_customer", []any{customer}, []any{&doc}, brokerage.NoCustomer(customer)}},
		func() (change, error) {
			changed, err := brokerage.CloseAccount(doc, account)
			return change{name: "replace_customer", args: []any{customer, changed}}, err
		})
	return err
}
