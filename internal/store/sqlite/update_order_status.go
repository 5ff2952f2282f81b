package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var updateOrderStatus = &statement{name: "update_order_status", kind: orders, stores: true}

// UpdateOrderStatus changes the status of an order and returns its OrderStatus.
func (s *Store) UpdateOrderStatus(
	ctx context.Context, w tpox.Write, id tpox.ID, stat string,
) ([]byte, error) {
	return s.revise(ctx, w, func(r *revision) error {
		return r.edit(ctx, getOrder, updateOrderStatus, int64(id), func(doc []byte) (changed []byte, err error) {
			if changed, r.answer, err = tpox.SetOrderStatus(doc, stat); err == nil {
				err = tpox.ValidateOrder(changed)
			}
			return changed, err
		})
	})
}
