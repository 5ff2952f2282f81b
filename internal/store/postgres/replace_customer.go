package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// ReplaceCustomer replaces the whole document of a customer, if match allows the stored version. It opens the
// accounts that are new, and closes those that are gone.
func (s *Store) ReplaceCustomer(
	ctx context.Context, w tpox.Write, id tpox.ID, doc []byte, validate bool, match tpox.Match,
) error {
	keys, err := tpox.CustomerToReplace(id, doc, validate)
	if err != nil {
		return err
	}
	err = s.reviseCustomer(ctx, w, id, func(stored []byte) ([]byte, error) {
		if !match.Holds(stored) {
			return nil, &tpox.Stale{}
		}
		return doc, nil
	})
	return s.firstTaken(ctx, err, keys)
}

func lockCustomer(id tpox.ID, doc *[]byte) []step {
	return []step{{name: "lock_customer", args: []any{id}, into: []any{doc}, missing: tpox.NoCustomer(id)}}
}

// reviseCustomer replaces a customer by what revise makes of the stored document, and changes the rows of its accounts
// accordingly.
func (s *Store) reviseCustomer(
	ctx context.Context, w tpox.Write, id tpox.ID, revise func(stored []byte) (changed []byte, err error),
) error {
	var stored []byte
	_, err := s.write(ctx, w, lockCustomer(id, &stored), func() ([]step, []byte, error) {
		changed, err := revise(stored)
		if err != nil {
			return nil, nil, err
		}
		before, err := tpox.CustomerKeysOf(stored)
		if err != nil {
			return nil, nil, err
		}
		after, err := tpox.CustomerKeysOf(changed)
		steps := []step{{name: "replace_customer", args: []any{id, accountsOf(after), string(changed)}}}
		return append(steps, moveAccounts(id, before.Accounts, after.Accounts)...), nil, err
	})
	return err
}
