package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// CustomerMaxOrder returns the largest order of a customer. Only where there is none does it ask whether the customer
// exists.
func (s *Store) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error) {
	id := customer.String()
	answer, err := read(ctx, s, func() ([]byte, error) { return document(ctx, s.db, "customer_max_order", id, id) })
	if answer != nil || err != nil {
		return answer, err
	}
	exists, err := read(ctx, s, func() (bool, error) { return hasCustomer(ctx, s.db, customer) })
	if err == nil && !exists {
		err = brokerage.NoCustomer(customer)
	}
	if err != nil {
		return nil, err
	}
	return brokerage.MaxOrder(customer, nil), nil
}

func hasCustomer(ctx context.Context, q querier, id brokerage.ID) (bool, error) {
	var one int64
	return row(ctx, q, "has_customer", []any{id.String()}, []any{&one})
}
