package postgres

import (
	"context"
	"slices"

	"brokerage/internal/brokerage"
)

// ReplaceCustomer replaces the whole document of a customer, where match allows the stored version.
func (s single) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match,
) error {
	keys, err := brokerage.CustomerToReplace(id, doc, validate)
	if err != nil {
		return err
	}
	var stored []byte
	c := change{statement: "replace_customer", args: []any{id, doc}, notFound: brokerage.NoCustomer(id)}
	err = s.replace(ctx, w, match, lockCustomer(id, &stored), &stored, c)
	return existing(ctx, s.pool, err, keys)
}

// ReplaceCustomer claims the accounts that are new, and releases those that are gone.
func (s spread) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match,
) error {
	keys, err := brokerage.CustomerToReplace(id, doc, validate)
	if err != nil {
		return err
	}
	var stored []byte
	c := newClaim(id, keys.Accounts)
	_, err = s.write(ctx, w, append(lockCustomer(id, &stored), c.lock()...), func() (change, error) {
		if !match.Holds(stored) {
			return change{}, &brokerage.Stale{}
		}
		before, err := brokerage.CustomerKeysOf(stored)
		if err != nil {
			return change{}, err
		}
		more, err := c.changes()
		for _, account := range before.Accounts {
			if !slices.Contains(keys.Accounts, account) {
				more = append(more, release(account))
			}
		}
		return change{statement: "replace_customer_elsewhere", args: []any{id, doc, c.elsewhere()}, more: more}, err
	})
	return err
}
