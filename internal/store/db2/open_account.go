package db2

import (
	"cmp"
	"context"

	"brokerage/internal/brokerage"
)

// OpenAccount adds an account to a customer; the database validates the whole customer.
func (s *Store) OpenAccount(
	ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte,
) (brokerage.ID, error) {
	id, err := brokerage.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	_, err = s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		changed, err := t.exec("open_account", account, customer.String())
		refused := refusal(err)
		switch {
		case isDuplicate(err):
			owner, err := customerOf(t.ctx, t, id)
			if err != nil || t.maybeDone && owner != nil && *owner == customer {
				return nil, err // the earlier attempt has opened it
			}
			return nil, brokerage.DuplicateAccount(id)
		case changed || err != nil && refused == nil:
			return nil, err
		}
		none, otherwise := brokerage.NoCustomer(customer), cmp.Or(refused, errNoReason)
		return nil, t.explain("get_customer", customer.String(), none, otherwise, func(doc []byte) error {
			doc, err := brokerage.OpenAccount(doc, account)
			if err != nil {
				return err
			}
			return brokerage.ValidateCustomer(doc)
		})
	})
	return id, err
}
