package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// DeleteOrder deletes the order with the given id, or returns *tpox.NotFound. On a cluster it deletes the order's row
// in account_orders by the keys of the document. A commit over two nodes becomes visible on one after the other:
// if the row is not there yet, nothing is deleted, and the transaction starts again.
func (s *Store) DeleteOrder(ctx context.Context, w tpox.Write, id tpox.ID) error {
	if !s.distributed {
		return s.change(ctx, w, step{name: "delete_order", args: []any{id}, missing: tpox.NoOrder(id)})
	}
	var doc []byte
	remove := step{name: "remove_order", args: []any{id}, into: []any{&doc}, missing: tpox.NoOrder(id)}
	_, err := s.write(ctx, w, []step{remove}, func() ([]step, []byte, error) {
		keys, err := tpox.OrderKeysOf(doc)
		if err != nil || keys.Cash == nil {
			return nil, nil, err
		}
		return []step{{name: "delete_account_order", args: []any{keys.Account, id}, missing: errMoved}}, nil, nil
	})
	return err
}
