package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var insertOrder = &statement{
	name: "insert_order", kind: orders, stores: true, adds: 1,
	changes: func(args []any) documentKey { return keyOf(ordersOf, args[1]) },
}

// InsertOrder stores a new order.
func (s *Store) InsertOrder(ctx context.Context, w tpox.Write, doc []byte) (tpox.ID, error) {
	leave, err := s.large.Enter(ctx, len(doc))
	if err != nil {
		return 0, err
	}
	defer leave()
	keys, err := tpox.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	b := s.pack(orders, doc)
	_, err = s.write(ctx, w, func(t *transaction) ([]byte, error) {
		_, err := t.exec(insertOrder, int64(keys.ID), int64(keys.Account), keys.Cash, b)
		if isDuplicate(err) {
			err = tpox.DuplicateOrder(keys.ID)
		}
		return nil, err
	})
	return keys.ID, err
}
