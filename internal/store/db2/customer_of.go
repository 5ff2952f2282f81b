package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// CustomerOf returns the id of the customer that an account belongs to.
func (s *Store) CustomerOf(ctx context.Context, account brokerage.ID) (brokerage.ID, error) {
	owner, err := read(ctx, s, func() (*brokerage.ID, error) { return customerOf(ctx, s.db, account) })
	if err == nil && owner == nil {
		err = brokerage.NoAccount(account)
	}
	if err != nil {
		return 0, err
	}
	return *owner, nil
}

// customerOf returns the id of the customer that an account belongs to, or nil where there is none.
func customerOf(ctx context.Context, q querier, account brokerage.ID) (*brokerage.ID, error) {
	var id brokerage.ID
	if found, err := row(ctx, q, "customer_of", []any{account.String()}, []any{&id}); err != nil || !found {
		return nil, err
	}
	return &id, nil
}
