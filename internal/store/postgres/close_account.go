package postgres

import (
	"context"
	"slices"

	"brokerage/internal/tpox"
)

// CloseAccount removes an account from its customer, or returns a *tpox.Conflict if it is the last one.
func (s single) CloseAccount(ctx context.Context, w tpox.Write, customer, account tpox.ID) error {
	var doc []byte
	_, err := s.write(ctx, w, lockCustomer(customer, &doc), func() (change, error) {
		changed, err := tpox.CloseAccount(doc, account)
		return change{statement: "replace_customer", args: []any{customer, changed}}, err
	})
	return err
}

// CloseAccount releases the account.
func (s spread) CloseAccount(ctx context.Context, w tpox.Write, customer, account tpox.ID) error {
	var doc []byte
	var elsewhere []tpox.ID
	_, err := s.write(ctx, w, lockCustomerElsewhere(customer, &doc, &elsewhere), func() (change, error) {
		changed, err := tpox.CloseAccount(doc, account)
		rest := slices.DeleteFunc(elsewhere, func(id tpox.ID) bool { return id == account })
		return change{
			statement: "replace_customer_elsewhere", args: []any{customer, changed, rest},
			more: []change{release(account)},
		}, err
	})
	return err
}
