package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// GetOrder returns the Order element of the order with the given id, or *tpox.NotFound. The database extracts it
// and writes it in its own form, so it is converted to the normal form here.
func (s single) GetOrder(ctx context.Context, id tpox.ID) ([]byte, error) {
	doc, err := s.document(ctx, "get_order", "order", id)
	if err != nil {
		return nil, err
	}
	doc, err = tpox.Normal(doc)
	return doc, domainError(ctx, err, false)
}

// GetOrder looks up where the order is.
func (s spread) GetOrder(ctx context.Context, id tpox.ID) (doc []byte, err error) {
	err = s.atOrder(ctx, nil, id, func(home tpox.ID) error {
		doc, err = s.lookUp(ctx, "get_order", home, id)
		if noRows(err) {
			err = tpox.NoOrder(id)
		}
		return err
	})
	if err == nil {
		doc, err = tpox.Normal(doc)
	}
	return doc, domainError(ctx, err, false)
}
