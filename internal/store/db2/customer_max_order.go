package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// CustomerMaxOrder returns the largest order of a customer. If there is none, it checks whether the customer exists.
func (s *Store) CustomerMaxOrder(ctx context.Context, customer tpox.ID) (answer []byte, err error) {
	id := customer.String()
	err = s.read(ctx, func() (err error) {
		answer, err = document(ctx, s.db, "customer_max_order", id, id)
		return err
	})
	if err != nil || answer != nil {
		return answer, err
	}
	if _, err := s.GetCustomer(ctx, customer); err != nil {
		return nil, err
	}
	return tpox.MaxOrder(customer, nil), nil
}
