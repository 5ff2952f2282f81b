package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// CustomerMaxOrder returns the largest order of a customer. If there is none, it checks whether the customer exists.
func (s *Store) CustomerMaxOrder(ctx context.Context, customer tpox.ID) (answer []byte, err error) {
	var exists bool
	err = s.read(ctx, func() (err error) {
		id := customer.String()
		if answer, err = document(ctx, s.db, "customer_max_order", id, id); answer != nil || err != nil {
			return err
		}
		exists, err = hasCustomer(ctx, s.db, customer)
		return err
	})
	switch {
	case err != nil || answer != nil:
		return answer, err
	case !exists:
		return nil, tpox.NoCustomer(customer)
	}
	return tpox.MaxOrder(customer, nil), nil
}

func hasCustomer(ctx context.Context, q querier, id tpox.ID) (bool, error) {
	var one int64
	return row(ctx, q, "has_customer", []any{id.String()}, []any{&one})
}
