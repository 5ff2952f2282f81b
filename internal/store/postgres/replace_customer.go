package postgres

import (
	"context"
	"slices"

	"brokerage/internal/tpox"
)

// ReplaceCustomer replaces the whole document of a customer, where match allows the stored version.
func (s single) ReplaceCustomer(
	ctx context.Context, w tpox.Write, id tpox.ID, doc []byte, validate bool, match tpox.Match,
) error {
	keys, err := tpox.CustomerToReplace(id, doc, validate)
	if err != nil {
		return err
	}
	var stored []byte
	c := change{statement: "replace_customer", args: []any{id, doc}, notFound: tpox.NoCustomer(id)}
	err = s.replace(ctx, w, match, lockCustomer(id, &stored), &stored, c)
	return existing(ctx, s.pool, err, keys)
}

// ReplaceCustomer claims the accounts that are new, and releases those that are gone.
func (s spread) ReplaceCustomer(
	ctx context.Context, w tpox.Write, id tpox.ID, doc []byte, validate bool, match tpox.Match,
) error {
	keys, err := tpox.CustomerToReplace(id, doc, validate)
	if err != nil {
		return err
	}
	var stored []byte
	c := newClaim(id, keys.Accounts)
	_, err = s.write(ctx, w, append(lockCustomer(id, &stored), c.lock()...), func() (change, error) {
		if !match.Holds(stored) {
			return change{}, &tpox.Stale{}
		}
		before, err := tpox.CustomerKeysOf(stored)
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
