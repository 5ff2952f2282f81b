package postgres

import (
	"context"
	"slices"

	"brokerage/internal/tpox"
)

// UpdateOrderStatus sets the status of an order and returns its OrderStatus element.
func (s single) UpdateOrderStatus(
	ctx context.Context, w tpox.Write, id tpox.ID, stat string,
) ([]byte, error) {
	return s.setStatus(ctx, w, id, stat, id)
}

// UpdateOrderStatus looks up where the order is.
func (s spread) UpdateOrderStatus(
	ctx context.Context, w tpox.Write, id tpox.ID, stat string,
) (answer []byte, err error) {
	err = s.atOrder(ctx, w.Once, id, func(home tpox.ID) (err error) {
		answer, err = s.setStatus(ctx, w, id, stat, home, id)
		return err
	})
	return answer, err
}

// setStatus sets the status of the order whose row has a key.
func (s *Store) setStatus(
	ctx context.Context, w tpox.Write, id tpox.ID, stat string, key ...any,
) ([]byte, error) {
	var doc []byte
	lock := []query{{statement: "lock_order", args: key, into: []any{&doc}, notFound: tpox.NoOrder(id)}}
	return s.write(ctx, w, lock, func() (change, error) {
		changed, answer, err := tpox.SetOrderStatus(doc, stat)
		if err == nil {
			err = tpox.ValidateOrder(changed)
		}
		return change{statement: "update_order_status", args: append(slices.Clip(key), changed), answer: answer}, err
	})
}
