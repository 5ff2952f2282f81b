package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// InsertCustomer stores a customer and returns its id, or a *tpox.Conflict if that id or an account exists.
func (s single) InsertCustomer(
	ctx context.Context, w tpox.Write, doc []byte, validate bool,
) (tpox.ID, error) {
	keys, err := tpox.CustomerToStore(doc, validate)
	if err != nil {
		return 0, err
	}
	err = s.change(ctx, w, change{statement: "insert_customer", args: []any{doc}})
	return keys.ID, existing(ctx, s.pool, err, keys)
}

// InsertCustomer stores a customer, and claims the accounts.
func (s spread) InsertCustomer(
	ctx context.Context, w tpox.Write, doc []byte, validate bool,
) (tpox.ID, error) {
	keys, err := tpox.CustomerToStore(doc, validate)
	if err != nil {
		return 0, err
	}
	c := newClaim(keys.ID, keys.Accounts)
	var there tpox.ID
	queries := append([]query{{statement: "customer_exists", args: []any{keys.ID}, into: []any{&there}}}, c.lock()...)
	_, err = s.write(ctx, w, queries, func() (change, error) {
		if there != 0 {
			return change{}, tpox.DuplicateCustomer(keys.ID)
		}
		claims, err := c.changes()
		return change{
			statement: "insert_customer", args: []any{keys.ID, c.elsewhere(), doc}, taken: tpox.DuplicateCustomer(keys.ID),
			more: claims,
		}, err
	})
	return keys.ID, err
}
