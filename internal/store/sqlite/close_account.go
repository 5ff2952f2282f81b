package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

var deleteAccount = &statement{name: "delete_account"}

// CloseAccount removes an account from a customer.
func (s *Store) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	_, err := s.revise(ctx, w, func(r *revision) error {
		r.before = func(t *transaction) error { return t.deleteAccount(account) }
		return r.edit(ctx, getCustomer, replaceCustomer, int64(customer), func(doc []byte) ([]byte, error) {
			return brokerage.CloseAccount(doc, account)
		})
	})
	return err
}

func (t *transaction) deleteAccount(account brokerage.ID) error {
	n, err := t.exec(deleteAccount, int64(account))
	if err == nil && n == 0 {
		err = brokerage.NoAccount(account)
	}
	return err
}
