package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// DeleteOrder deletes an order.
func (s *Store) DeleteOrder(ctx context.Context, w tpox.Write, id tpox.ID) error {
	return s.remove(ctx, w, "delete_order", id, tpox.NoOrder(id))
}
