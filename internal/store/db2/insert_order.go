package db2

import (
	"bytes"
	"context"

	"brokerage/internal/brokerage"
)

// InsertOrder inserts an order.
func (s *Store) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	keys, err := brokerage.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	_, err = s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		_, err := t.exec("insert_order", doc)
		if isDuplicate(err) {
			err = t.duplicate("get_whole_order", keys.ID, doc, brokerage.DuplicateOrder(keys.ID))
		}
		return nil, err
	})
	return keys.ID, err
}

// duplicate returns the error of an insert whose key exists: none where an earlier attempt, whose outcome was unknown,
// has stored the very document.
func (t *tx) duplicate(name string, id brokerage.ID, doc []byte, conflict *brokerage.Conflict) error {
	if !t.maybeDone {
		return conflict
	}
	stored, err := t.document(name, id.String())
	switch {
	case err != nil:
		return err
	case !bytes.Equal(stored, doc): // both are in the normal form
		return conflict
	}
	return nil
}
