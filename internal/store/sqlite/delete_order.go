package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

var deleteOrder = &statement{name: "delete_order"}

// DeleteOrder removes an order.
func (s *Store) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	_, err := s.write(ctx, w, func(t *transaction) ([]byte, error) {
		var account, bytes int64
		switch err := t.row(deleteOrder, []any{int64(id)}, &account, &bytes); {
		case noRows(err):
			return nil, brokerage.NoOrder(id)
		case err != nil:
			return nil, err
		}
		t.removed(documentKey{kind: orders, id: int64(id)}, bytes, documentKey{kind: ordersOf, id: account})
		return nil, nil
	})
	return err
}
