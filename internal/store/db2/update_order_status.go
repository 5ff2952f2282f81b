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
		return nil, brokerage.Unfit("not an OrdStatus")
	}
	return s.write(ctx, w, failUnknown, func(t *tx) ([]byte, error) {
		none := brokerage.NoOrder(id)
		err := t.mustChange(none, "update_order_status", stat, id.String())
		if refused := refusal(err); refused != nil {
			return nil, t.explain("get_whole_order", id.String(), none, refused, func(doc []byte) error {
				doc, _, err := brokerage.SetOrderStatus(doc, stat)
				if err != nil {
					return err
				}
				return brokerage.ValidateOrder(doc)
			})
		}
		return answer, err
	})
}
