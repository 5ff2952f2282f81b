package db2

import (
	"cmp"
	"context"
	"slices"

	"brokerage/internal/brokerage"
)

// CloseAccount removes an account from a customer, unless it is the last one.
func (s *Store) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	_, err := s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		changed, err := t.exec("close_account", account.String(), customer.String(), account.String())
		if err != nil || changed {
			return nil, err
		}
		doc, err := t.document("get_customer", customer.String())
		switch {
		case err != nil:
			return nil, err
		case doc == nil:
			return nil, brokerage.NoCustomer(customer)
		}
		keys, err := brokerage.CustomerKeysOf(doc)
		if err == nil && t.maybeDone && !slices.Contains(keys.Accounts, account) {
			return nil, nil // the earlier attempt has closed it
		}
		_, err = brokerage.CloseAccount(doc, account)
		return nil, cmp.Or(err, errNoReason)
	})
	return err
}
