package db2

import (
	"cmp"
	"context"
	"slices"

	"brokerage/internal/tpox"
)

// CloseAccount removes an account from a customer, unless it is the last one.
func (s *Store) CloseAccount(ctx context.Context, w tpox.Write, customer, account tpox.ID) error {
	_, err := s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		changed, err := t.exec("close_account", account.String(), customer.String(), account.String())
		if err != nil || changed {
			return nil, err
		}
		none := tpox.NoCustomer(customer)
		return nil, t.explain("get_customer", customer.String(), none, func(doc []byte) error {
			keys, err := tpox.CustomerKeysOf(doc)
			if err == nil && t.maybeDone && !slices.Contains(keys.Accounts, account) {
				return nil // the earlier attempt has closed it
			}
			_, err = tpox.CloseAccount(doc, account)
			return cmp.Or(err, errNoReason)
		})
	})
	return err
}
