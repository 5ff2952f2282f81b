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
		doc, err := r.document(ctx, getCustomer, int64(customer))
		if err != nil {
			return err
		}
		changed, err := brokerage.OpenAccount(doc, account)
		if err != nil {
			return err
		}
		if err := brokerage.ValidateCustomer(changed); err != nil {
			return err
		}
		r.before = func(t *transaction) error { return t.insertAccounts(customer, id) }
		r.write(replaceCustomer, int64(customer), s.pack(customers, changed))
		return nil
	})
	return id, err
}
