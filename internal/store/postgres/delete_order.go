package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// DeleteOrder deletes the order with the given id, or returns *brokerage.NotFound.
func (s *Store) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.change(ctx, w, change{statement: "delete_order", args: []any{id}, notFound: brokerage.NoOrder(id)})
}
