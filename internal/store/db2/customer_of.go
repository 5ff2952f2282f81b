package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// CustomerOf returns the id of the customer that an account belongs to.
func (s *Store) CustomerOf(ctx context.Context, account brokerage.ID) (id brokerage.ID, err error) {
	var found bool
	err = s.read(ctx, func() (err error) {
		id, found, err = customerOf(ctx, s.db, account)
		return err
	})
	if err == nil && !found {
		err = brokerage.NoAccount(account)
	}
	return id, err
}

func customerOf(ctx context.Context, q querier, account brokerage.ID) (id brokerage.ID, found bool, err error) {
	found, err = row(ctx, q, "customer_of", []any{account.String()}, []any{&id})
	return id, found, err
}
