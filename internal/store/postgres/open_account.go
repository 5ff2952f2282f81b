package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// OpenAccount adds an account to a customer and returns the account's id, or a *tpox.Conflict if that exists.
func (s *Store) OpenAccount(ctx context.Context, w tpox.Write, customer tpox.ID, account []byte) (tpox.ID, error) {
	id, err := tpox.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	return id, s.reviseCustomer(ctx, w, customer, func(doc []byte) ([]byte, error) {
		changed, err := tpox.OpenAccount(s.options.Rules, doc, account)
		if err == nil {
			err = tpox.ValidateCustomer(changed)
		}
		if err == nil && tpox.HasAccount(doc, id) {
			err = tpox.DuplicateAccount(id)
		}
		return changed, err
	})
}
