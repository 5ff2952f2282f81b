package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// DeleteCustomer deletes the customer with the given id, or returns *brokerage.NotFound.
func (s *Store) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.change(ctx, w, change{statement: "delete_customer", args: []any{id}, notFound: brokerage.NoCustomer(id)})
}
