package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// InsertOrder stores an order and returns its id, or a *tpox.Conflict if the id exists.
func (s single) InsertOrder(ctx context.Context, w tpox.Write, doc []byte) (tpox.ID, error) {
	keys, err := tpox.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	err = s.change(ctx, w, change{statement: "insert_order", args: []any{keys.Account, doc}})
	if violated(err) == "orders_id" {
		err = tpox.DuplicateOrder(keys.ID)
	}
	return keys.ID, err
}

// InsertOrder stores an order at the home of its account. The first order for an account that nobody has sets the home.
func (s spread) InsertOrder(ctx context.Context, w tpox.Write, doc []byte) (tpox.ID, error) {
	keys, err := tpox.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	home, err := s.homeOf(ctx, keys.Account)
	if err != nil {
		return 0, err
	}
	return keys.ID, s.change(ctx, w, change{
		statement: "insert_order_home", args: []any{keys.ID, home}, taken: tpox.DuplicateOrder(keys.ID),
		more: []change{{statement: "insert_order", args: []any{home, keys.ID, doc}}},
	})
}
