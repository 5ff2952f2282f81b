package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var deleteAccount = &statement{name: "delete_account"}

// CloseAccount removes an account from a customer.
func (s *Store) CloseAccount(ctx context.Context, w tpox.Write, customer, account tpox.ID) error {
	_, err := s.revise(ctx, w, func(r *revision) error {
		r.before = func(t *transaction) error {
			n, err := t.exec(deleteAccount, int64(account))
			if err == nil && n == 0 {
				err = tpox.NoAccount(account)
			}
			return err
		}
		return r.edit(ctx, getCustomer, replaceCustomer, int64(customer), func(doc []byte) ([]byte, error) {
			return tpox.CloseAccount(doc, account)
		})
	})
	return err
}
