package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// OpenAccount adds an account to a customer and returns its id, or a *tpox.Conflict if it exists.
func (s *Store) OpenAccount(ctx context.Context, w tpox.Write, customer tpox.ID, account []byte) (tpox.ID, error) {
	id, err := tpox.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	var doc []byte
	_, err = s.write(ctx, w, lockCustomer(customer, &doc), func() (steps []step, answer []byte, err error) {
		changed, err := tpox.OpenAccount(s.options.Rules, doc, account)
		if err == nil {
			err = tpox.ValidateCustomer(changed)
		}
		if err == nil && tpox.HasAccount(doc, id) {
			err = tpox.DuplicateAccount(id)
		}
		if err == nil {
			steps, err = replaceCustomer(doc, changed)
		}
		return steps, nil, err
	})
	return id, err
}
