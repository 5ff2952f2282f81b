package postgres

import (
	"context"
	"errors"
	"slices"

	"brokerage/internal/tpox"
)

// InsertCustomer stores a customer and returns its id, or a *tpox.Conflict if that id or an account exists.
func (s *Store) InsertCustomer(
	ctx context.Context, w tpox.Write, doc []byte, validate bool,
) (tpox.ID, error) {
	keys, err := tpox.CustomerToStore(doc, validate)
	if err != nil {
		return 0, err
	}
	steps := []step{{
		name: "insert_customer", args: []any{keys.ID, accountsOf(keys), string(doc)}, taken: tpox.DuplicateCustomer(keys.ID),
	}}
	err = s.change(ctx, w, append(steps, moveAccounts(keys.ID, nil, keys.Accounts)...)...)
	return keys.ID, s.firstTaken(ctx, err, keys)
}

// accountsOf returns the column accounts of a customer, which is not NULL, in a type that pgx can also write as text.
func accountsOf(keys tpox.CustomerKeys) []int64 {
	accounts := make([]int64, len(keys.Accounts))
	for i, id := range keys.Accounts {
		accounts[i] = int64(id)
	}
	return accounts
}

// moveAccounts returns the steps that insert the rows of new accounts and delete those of lost accounts, by ascending
// id. On a cluster, the customer may be visible before a row to delete; then the transaction starts again.
func moveAccounts(customer tpox.ID, before, after []tpox.ID) (steps []step) {
	all := slices.Concat(before, after)
	slices.Sort(all)
	for _, account := range slices.Compact(all) {
		switch had, has := slices.Contains(before, account), slices.Contains(after, account); {
		case has && !had:
			steps = append(steps, step{
				name: "insert_account", args: []any{account, customer}, taken: tpox.DuplicateAccount(account),
			})
		case had && !has:
			steps = append(steps, step{name: "delete_account", args: []any{account}, missing: errMoved})
		}
	}
	return steps
}

// firstTaken returns err. If that is a conflict about an account, it returns instead one about the first account in
// the document that another customer has.
func (s *Store) firstTaken(ctx context.Context, err error, keys tpox.CustomerKeys) error {
	conflict, ok := errors.AsType[*tpox.Conflict](err)
	if !ok || conflict.Reason != tpox.AccountExists || len(keys.Accounts) == 1 {
		return err
	}
	var taken tpox.ID
	switch failed := s.queryRow(ctx, "taken_account", []any{accountsOf(keys), keys.ID}, &taken); {
	case failed == nil:
		return tpox.DuplicateAccount(taken)
	case noRows(failed):
		return err
	default:
		return failed
	}
}
