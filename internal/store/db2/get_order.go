package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetOrder returns the order with the given id.
func (s *Store) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.find(ctx, "get_order", "order", id)
}
