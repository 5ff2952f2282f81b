package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// OpenAccount adds an account to a customer and returns its id, or a *tpox.Conflict if it exists.
func (s single) OpenAccount(
	ctx context.Context, w tpox.Write, customer tpox.ID, account []byte,
) (tpox.ID, error) {
	id, err := tpox.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	var doc []byte
	_, err = s.write(ctx, w, lockCustomer(customer, &doc), func() (change, error) {
		changed, err := tpox.OpenAccount(s.options.Rules, doc, account)
		if err == nil {
			err = tpox.ValidateCustomer(changed)
		}
		return change{statement: "replace_customer", args: []any{customer, changed}}, err
	})
	return id, existing(ctx, s.pool, err, tpox.CustomerKeys{ID: customer, Accounts: []tpox.ID{id}})
}

// OpenAccount claims the account.
func (s spread) OpenAccount(
	ctx context.Context, w tpox.Write, customer tpox.ID, account []byte,
) (tpox.ID, error) {
	id, err := tpox.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	var doc []byte
	var elsewhere []tpox.ID
	c := newClaim(customer, []tpox.ID{id})
	queries := append(lockCustomerElsewhere(customer, &doc, &elsewhere), c.lock()...)
	_, err = s.write(ctx, w, queries, func() (change, error) {
		changed, err := tpox.OpenAccount(s.options.Rules, doc, account)
		if err == nil {
			err = tpox.ValidateCustomer(changed)
		}
		if err != nil {
			return change{}, err
		}
		if c.accounts[0].customer != nil { // the same one, too
			return change{}, tpox.DuplicateAccount(id)
		}
		claims, err := c.changes()
		args := []any{customer, changed, append(elsewhere, c.elsewhere()...)}
		return change{statement: "replace_customer_elsewhere", args: args, more: claims}, err
	})
	return id, err
}
