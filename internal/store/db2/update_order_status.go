package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// bareOrder is the order from which the answer is made, because the answer depends on the status alone.
const bareOrder = `<FIXML xmlns="` + tpox.FIXMLNS + `"><Order></Order></FIXML>`

// UpdateOrderStatus sets the status of an order; the database validates the whole order.
func (s *Store) UpdateOrderStatus(
	ctx context.Context, w tpox.Write, id tpox.ID, stat string,
) ([]byte, error) {
	_, answer, err := tpox.SetOrderStatus([]byte(bareOrder), stat)
	if err != nil {
		return nil, err // a text that XML cannot hold
	}
	if !storable(stat) || len(stat) > 100 {
		return nil, tpox.NotStorable("not an OrdStatus")
	}
	answer, err = s.write(ctx, w, failUnknown, func(t *tx) ([]byte, error) {
		changed, err := t.exec("update_order_status", stat, id.String(), id.String())
		if err == nil && !changed {
			err = tpox.NoOrder(id)
		}
		return answer, err
	})
	return answer, withFindings(err, func() error {
		return s.judge(ctx, "get_whole_order", id, func(doc []byte) error {
			changed, _, err := tpox.SetOrderStatus(doc, stat)
			if err != nil {
				return err
			}
			return tpox.ValidateOrder(changed)
		})
	})
}
