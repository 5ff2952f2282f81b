package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// CustomerOf returns the id of the customer that an account belongs to, or *brokerage.NotFound.
func (s *Store) CustomerOf(ctx context.Context, account brokerage.ID) (id brokerage.ID, err error) {
	notFound, args, into := brokerage.NoAccount(account), []any{account}, []any{&id}
	if s.replicas != nil {
		answered, err := s.replicas.read(ctx, func(ctx context.Context, from *replica, needs position) error {
			return from.queryRow(ctx, needs, "customer_of", args, into)
		})
		if answered && noRows(err) {
			return 0, notFound
		}
		if answered {
			return id, err
		}
	}
	err = s.queryRow(ctx, "customer_of", notFound, args, into)
	return id, err
}
