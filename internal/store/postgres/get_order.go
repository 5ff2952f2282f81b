package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// GetOrder returns the Order element of the order with the given id, or *tpox.NotFound. The database extracts it
// and writes it in its own form, so it is converted to the normal form here.
func (s *Store) GetOrder(ctx context.Context, id tpox.ID) ([]byte, error) {
	doc, err := s.document(ctx, "get_order", "order", id)
	if err != nil {
		return nil, err
	}
	doc, err = tpox.Normal(doc)
	return doc, domainError(ctx, err, false)
}
