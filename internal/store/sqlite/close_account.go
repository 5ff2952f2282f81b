package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

var deleteAccount = &statement{name: "delete_account"}

// CloseAccount removes an account from a customer.
func (s *Store) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	_, err := s.revise(ctx, w, func(r *revision) error {
		doc, err := r.document(ctx, getCustomer, int64(customer))
		if err != nil {
			return err
		}
		changed, err := brokerage.CloseAccount(doc, account)
		if err != nil {
			return err
		}
		r.before = func(t *transaction) error { return t.deleteAccount(account) }
		r.write(replaceCustomer, int64(customer), s.pack(customers, changed))
		return nil
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
