package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// UpdateOrderStatus sets the status of an order and returns its OrderStatus element.
func (s *Store) UpdateOrderStatus(
	ctx context.Context, w brokerage.Write, id brokerage.ID, stat string,
) ([]byte, error) {
	var doc []byte
	lock := []query{{statement: "lock_order", args: []any{id}, into: []any{&doc}, notFound: brokerage.NoOrder(id)}}
	return s.write(ctx, w, lock, func() (change, error) {
		changed, answer, err := brokerage.SetOrderStatus(doc, stat)
		if err == nil {
			err = brokerage.ValidateOrder(changed)
		}
		return change{statement: "update_order_status", args: []any{id, changed}, answer: answer}, err
	})
}
