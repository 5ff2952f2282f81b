package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

// OpenAccount adds an account to a customer.
func (s *Store) OpenAccount(
	ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte,
) (brokerage.ID, error) {
	id, err := brokerage.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	_, err = s.revise(ctx, w, func(r *revision) error {
		r.before = func(t *transaction) error { return t.insertAccounts(customer, id) }
		return r.edit(ctx, getCustomer, replaceCustomer, int64(customer), func(doc []byte) ([]byte, error) {
			changed, err := brokerage.OpenAccount(doc, account)
			if err == nil {
				err = brokerage.ValidateCustomer(changed)
			}
			return changed, err
		})
	})
	return id, err
}
