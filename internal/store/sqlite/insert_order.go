package sqlite

import (
	"context"

	"brokerage/internal/store"
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
	packed := store.PreparedDocument{Keys: keys, Doc: s.pack(orders, doc)}
	_, err = s.write(ctx, w, func(t *transaction) ([]byte, error) { return nil, t.insert(packed) })
	return keys.ID, err
}
