package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var getOrder = &statement{name: "get_order", kind: orders}

// GetOrder returns the order with the given id.
func (s *Store) GetOrder(ctx context.Context, id tpox.ID) ([]byte, error) {
	doc, err := s.document(ctx, getOrder, int64(id))
	if err != nil {
		return nil, err
	}
	return tpox.Order(doc), nil
}
