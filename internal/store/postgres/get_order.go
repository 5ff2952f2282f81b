package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetOrder returns the Order element of the order with the given id, or *brokerage.NotFound. The database cuts it out
// and writes it in a form of its own, so that it is brought into the normal form here.
func (s *Store) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.document(ctx, "get_order", "order", id)
	if err != nil {
		return nil, err
	}
	doc, err = brokerage.Normal(doc)
	return doc, domainError(ctx, err, false)
}
