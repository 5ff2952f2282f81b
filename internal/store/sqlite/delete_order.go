package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var (
	sizeOrder   = &statement{name: "size_order", kind: orders}
	deleteOrder = &statement{name: "delete_order", kind: orders}
)

// DeleteOrder removes an order.
func (s *Store) DeleteOrder(ctx context.Context, w tpox.Write, id tpox.ID) error {
	_, err := s.write(ctx, w, func(t *transaction) ([]byte, error) {
		var account, size int64
		err := t.row(sizeOrder, []any{int64(id)}, &account, &size)
		if noRows(err) {
			err = tpox.NoOrder(id)
		}
		if err != nil {
			return nil, err
		}
		t.w.changes.note(documentKey{kind: ordersOf, id: account})
		return nil, t.remove(deleteOrder, int64(id), size)
	})
	return err
}
