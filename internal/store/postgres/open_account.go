package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// OpenAccount adds an account to a customer and returns its id, or a *brokerage.Conflict if it exists.
func (s *Store) OpenAccount(
	ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte,
) (brokerage.ID, error) {
	id, err := brokerage.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	var doc []byte
	_, err = s.write(ctx, w, lockCustomer(customer, &doc), func() (change, error) {
		changed, err := brokerage.OpenAccount(doc, account)
		if err == nil {
			err = brokerage.ValidateCustomer(changed)
		}
		return change{statement: "replace_customer", args: []any{customer, changed}}, err
	})
	return id, existing(ctx, s.pool, err, brokerage.CustomerKeys{ID: customer, Accounts: []brokerage.ID{id}})
}
