package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

var updateOrderStatus = &statement{name: "update_order_status", kind: orders, stores: true}

// UpdateOrderStatus changes the status of an order and returns its OrderStatus.
func (s *Store) UpdateOrderStatus(
	ctx context.Context, w brokerage.Write, id brokerage.ID, stat string,
) ([]byte, error) {
	return s.revise(ctx, w, func(r *revision) error {
		doc, err := r.document(ctx, getOrder, int64(id))
		if err != nil {
			return err
		}
		changed, answer, err := brokerage.SetOrderStatus(doc, stat)
		if err != nil {
			return err
		}
		if err := brokerage.ValidateOrder(changed); err != nil {
			return err
		}
		r.answer = answer
		r.write(updateOrderStatus, int64(id), s.pack(orders, changed))
		return nil
	})
}
