package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// InsertOrder inserts an order.
func (s *Store) InsertOrder(ctx context.Context, w tpox.Write, doc []byte) (tpox.ID, error) {
	keys, err := tpox.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	var maybeDone bool
	_, err = s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		maybeDone = t.maybeDone
		_, err := t.exec("insert_order", doc)
		return nil, err
	})
	if isDuplicateKey(err) {
		err = tpox.DuplicateOrder(keys.ID)
		if maybeDone && s.holds(ctx, "get_whole_order", keys.ID, doc) {
			err = nil
		}
	}
	return keys.ID, err
}
