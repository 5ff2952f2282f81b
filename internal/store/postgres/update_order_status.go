package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// UpdateOrderStatus sets the status of an order and returns its OrderStatus element.
func (s *Store) UpdateOrderStatus(ctx context.Context, w tpox.Write, id tpox.ID, stat string) ([]byte, error) {
	var doc []byte
	lock := step{name: "lock_order", args: []any{id}, into: []any{&doc}, missing: tpox.NoOrder(id)}
	return s.write(ctx, w, []step{lock}, func() ([]step, []byte, error) {
		changed, answer, err := tpox.SetOrderStatus(doc, stat)
		if err == nil {
			err = tpox.ValidateOrder(changed)
		}
		return []step{{name: "update_order_status", args: []any{id, string(changed)}}}, answer, err
	})
}
