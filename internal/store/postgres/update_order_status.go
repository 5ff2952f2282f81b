package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// UpdateOrderStatus sets the status of an order and returns its OrderStatus element.
func (s single) UpdateOrderStatus(
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

// UpdateOrderStatus looks up where the order is.
func (s spread) UpdateOrderStatus(
	ctx context.Context, w brokerage.Write, id brokerage.ID, stat string,
) (answer []byte, err error) {
	var doc []byte
	err = s.atOrder(ctx, w.Once, id, func(home brokerage.ID) (err error) {
		lock := []query{{statement: "lock_order", args: []any{home, id}, into: []any{&doc}, notFound: brokerage.NoOrder(id)}}
		answer, err = s.write(ctx, w, lock, func() (change, error) {
			changed, answer, err := brokerage.SetOrderStatus(doc, stat)
			if err == nil {
				err = brokerage.ValidateOrder(changed)
			}
			return change{statement: "update_order_status", args: []any{home, id, changed}, answer: answer}, err
		})
		return err
	})
	return answer, err
}
