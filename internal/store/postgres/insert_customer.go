package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// InsertCustomer stores a customer and returns its id, or a *brokerage.Conflict if that id or an account exists.
func (s *Store) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, validate bool,
) (brokerage.ID, error) {
	keys, err := brokerage.CustomerToStore(doc, validate)
	if err != nil {
		return 0, err
	}
	err = s.change(ctx, w, change{statement: "insert_customer", args: []any{doc}})
	return keys.ID, existing(ctx, s.pool, err, keys)
}
