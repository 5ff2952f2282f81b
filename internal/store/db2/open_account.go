package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// OpenAccount adds an account to a customer; the database validates the whole customer.
func (s *Store) OpenAccount(
	ctx context.Context, w tpox.Write, customer tpox.ID, account []byte,
) (tpox.ID, error) {
	id, err := tpox.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	change := func(doc []byte) error {
		changed, err := tpox.OpenAccount(doc, account)
		if err != nil {
			return err
		}
		return tpox.ValidateCustomer(changed)
	}
	var maybeDone bool
	_, err = s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		maybeDone = t.maybeDone
		changed, err := t.exec("open_account", account, customer.String())
		if err == nil && !changed {
			err = t.explain("get_customer", customer.String(), tpox.NoCustomer(customer), change)
		}
		return nil, err
	})
	if isDuplicateKey(err) {
		if owner, failed := s.customerOf(ctx, id); maybeDone && failed == nil && owner == customer {
			return id, nil
		}
		return id, tpox.DuplicateAccount(id)
	}
	return id, withFindings(err, func() error { return s.judge(ctx, "get_customer", customer, change) })
}
