package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// GetOrder returns the order with the given id.
func (s *Store) GetOrder(ctx context.Context, id tpox.ID) ([]byte, error) {
	return s.find(ctx, "get_order", "order", id)
}
