package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// bareOrder is the order from which the answer is made: it depends on the status alone.
const bareOrder = `<FIXML xmlns="` + brokerage.FIXMLNS + `"><Order></Order></FIXML>`

// UpdateOrderStatus sets the status of an order; the database validates the whole order.
func (s *Store) UpdateOrderStatus(
	ctx context.Context, w brokerage.Write, id brokerage.ID, stat string,
) ([]byte, error) {
	_, answer, err := brokerage.SetOrderStatus([]byte(bareOrder), stat)
	if err != nil {
		return nil, err // a text that XML cannot hold
	}
	if !storable(stat) || len(stat) > 100 {
		return nil, brokerage.NotStorable("not an OrdStatus")
	}
	answer, err = s.write(ctx, w, failUnknown, func(t *tx) ([]byte, error) {
		changed, err := t.exec("update_order_status", stat, id.String())
		if err == nil && !changed {
			err = brokerage.NoOrder(id)
		}
		return answer, err
	})
	return answer, withFindings(err, func() error {
		return s.judge(ctx, "get_whole_order", id, func(doc []byte) error {
			changed, _, err := brokerage.SetOrderStatus(doc, stat)
			if err != nil {
				return err
			}
			return brokerage.ValidateOrder(changed)
		})
	})
}
