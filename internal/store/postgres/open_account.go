package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// OpenAccount adds an account to a customer and returns its id, or a *brokerage.Conflict if it exists.
func (s single) OpenAccount(
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

// OpenAccount claims the account.
func (s spread) OpenAccount(
	ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte,
) (brokerage.ID, error) {
	id, err := brokerage.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	var doc []byte
	var elsewhere []brokerage.ID
	c := newClaim(customer, []brokerage.ID{id})
	queries := append(lockCustomerElsewhere(customer, &doc, &elsewhere), c.lock()...)
	_, err = s.write(ctx, w, queries, func() (change, error) {
		changed, err := brokerage.OpenAccount(doc, account)
		if err == nil {
			err = brokerage.ValidateCustomer(changed)
		}
		if err != nil {
			return change{}, err
		}
		if c.accounts[0].customer != nil { // the same one, too
			return change{}, brokerage.DuplicateAccount(id)
		}
		claims, err := c.changes()
		args := []any{customer, changed, append(elsewhere, c.elsewhere()...)}
		return change{statement: "replace_customer_elsewhere", args: args, more: claims}, err
	})
	return id, err
}
