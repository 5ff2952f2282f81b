package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// InsertOrder stores an order and returns its id, or a *brokerage.Conflict if the id exists.
func (s *Store) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	keys, err := brokerage.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	err = s.change(ctx, w, change{statement: "insert_order", args: []any{keys.Account, doc}})
	if violated(err) == "orders_id" {
		err = brokerage.DuplicateOrder(keys.ID)
	}
	return keys.ID, err
}
