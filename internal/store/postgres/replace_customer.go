package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// ReplaceCustomer replaces the whole document of a customer, where match allows the stored version. It opens the
// accounts that are new, and closes those that are gone.
func (s *Store) ReplaceCustomer(
	ctx context.Context, w tpox.Write, id tpox.ID, doc []byte, validate bool, match tpox.Match,
) error {
	keys, err := tpox.CustomerToReplace(id, doc, validate)
	if err != nil {
		return err
	}
	var stored []byte
	_, err = s.write(ctx, w, lockCustomer(id, &stored), func() ([]step, []byte, error) {
		if !match.Holds(stored) {
			return nil, nil, &tpox.Stale{}
		}
		steps, err := replaceCustomer(stored, doc)
		return steps, nil, err
	})
	return s.firstTaken(ctx, err, keys)
}

func lockCustomer(id tpox.ID, doc *[]byte) []step {
	return []step{{name: "lock_customer", args: []any{id}, into: []any{doc}, missing: tpox.NoCustomer(id)}}
}

// replaceCustomer returns the steps that replace a customer, and change the rows of its accounts accordingly.
func replaceCustomer(stored, changed []byte) ([]step, error) {
	before, err := tpox.CustomerKeysOf(stored)
	if err != nil {
		return nil, err
	}
	after, err := tpox.CustomerKeysOf(changed)
	steps := []step{{name: "replace_customer", args: []any{after.ID, accountsOf(after), changed}}}
	return append(steps, moveAccounts(after.ID, before.Accounts, after.Accounts)...), err
}
