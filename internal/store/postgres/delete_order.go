package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// DeleteOrder deletes the order with the given id, or returns *brokerage.NotFound.
func (s single) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.change(ctx, w, change{statement: "delete_order", args: []any{id}, notFound: brokerage.NoOrder(id)})
}

// DeleteOrder deletes the order and where to find it.
func (s spread) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.atOrder(ctx, w.Once, id, func(home brokerage.ID) error {
		return s.change(ctx, w, change{
			statement: "delete_order_home", args: []any{id, home}, notFound: brokerage.NoOrder(id),
			more: []change{{statement: "delete_order", args: []any{home, id}}},
		})
	})
}
