package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// CustomerOf returns the id of the customer that an account belongs to, or *brokerage.NotFound.
func (s *Store) CustomerOf(ctx context.Context, account brokerage.ID) (id brokerage.ID, err error) {
	err = s.queryRow(ctx, "customer_of", brokerage.NoAccount(account), []any{account}, []any{&id})
	return id, err
}
