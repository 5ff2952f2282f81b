package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// CustomerMaxOrder returns the customer's order with the greatest cash, or *brokerage.NotFound for no such customer.
func (s *Store) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error) {
	return s.document(ctx, "customer_max_order", "customer", customer)
}
