package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var (
	sizeOrder   = &statement{name: "size_order", kind: orders}
	deleteOrder = &statement{name: "delete_order", kind: orders, adds: -1}
)

// DeleteOrder removes an order.
func (s *Store) DeleteOrder(ctx context.Context, w tpox.Write, id tpox.ID) error {
	_, err := s.write(ctx, w, func(t *transaction) ([]byte, error) {
		var account int64
		if err := t.row(sizeOrder, []any{int64(id)}, &account, &t.replaced); err != nil {
			return nil, missing(orders, id, err)
		}
		t.w.changes.note(documentKey{kind: ordersOf, id: account})
		_, err := t.exec(deleteOrder, int64(id))
		return nil, err
	})
	return err
}
