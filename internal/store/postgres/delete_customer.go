package postgres

import (
	"context"
	"slices"

	"brokerage/internal/brokerage"
)

// DeleteCustomer deletes the customer with the given id, or returns *brokerage.NotFound.
func (s single) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.change(ctx, w, change{statement: "delete_customer", args: []any{id}, notFound: brokerage.NoCustomer(id)})
}

// DeleteCustomer deletes the customer and releases the accounts.
func (s spread) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	var stored []byte
	_, err := s.write(ctx, w, lockCustomer(id, &stored), func() (change, error) {
		keys, err := brokerage.CustomerKeysOf(stored)
		c := change{statement: "delete_customer", args: []any{id}}
		for _, account := range slices.Sorted(slices.Values(keys.Accounts)) {
			c.more = append(c.more, release(account))
		}
		return c, err
	})
	return err
}
