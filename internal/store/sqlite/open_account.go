package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

// OpenAccount adds an account to a customer.
func (s *Store) OpenAccount(
	ctx context.Context, w tpox.Write, customer tpox.ID, account []byte,
) (tpox.ID, error) {
	id, err := tpox.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	_, err = s.revise(ctx, w, func(r *revision) error {
		r.before = func(t *transaction) error { return t.insertAccounts(customer, id) }
		return r.edit(ctx, getCustomer, replaceCustomer, int64(customer), func(doc []byte) ([]byte, error) {
			changed, err := tpox.OpenAccount(s.options.Rules, doc, account)
			if err == nil {
				err = tpox.ValidateCustomer(changed)
			}
			return changed, err
		})
	})
	return id, err
}
