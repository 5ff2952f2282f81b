package db2

import (
	"cmp"
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
		changed, err := tpox.OpenAccount(s.settings.Rules, doc, account)
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
			err = t.explain("get_customer", customer.String(), tpox.NoCustomer(customer), func(doc []byte) error {
				return cmp.Or(change(doc), errNoReason)
			})
		}
		var size int64
		if err == nil {
			_, err = row(t.ctx, t, "customer_size", []any{id.String()}, []any{&size})
		}
		if err == nil {
			err = s.settings.Rules.CheckGrowth(0, int(size))
		}
		return nil, err
	})
	if isDuplicateKey(err) {
		if opened, failed := s.GetAccount(ctx, id); maybeDone && failed == nil && opened.Customer == customer {
			return id, nil
		}
		return id, tpox.DuplicateAccount(id)
	}
	return id, withFindings(err, func() error { return s.judge(ctx, "get_customer", customer, change) })
}
