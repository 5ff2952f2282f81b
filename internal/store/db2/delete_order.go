package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// DeleteOrder deletes an order.
func (s *Store) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.remove(ctx, w, "delete_order", id, brokerage.NoOrder(id))
}
