package postgres

import (
	"context"
	"slices"

	"brokerage/internal/tpox"
)

// DeleteCustomer deletes the customer with the given id, or returns *tpox.NotFound.
func (s single) DeleteCustomer(ctx context.Context, w tpox.Write, id tpox.ID) error {
	return s.change(ctx, w, change{statement: "delete_customer", args: []any{id}, notFound: tpox.NoCustomer(id)})
}

// DeleteCustomer deletes the customer and releases the accounts.
func (s spread) DeleteCustomer(ctx context.Context, w tpox.Write, id tpox.ID) error {
	var stored []byte
	_, err := s.write(ctx, w, lockCustomer(id, &stored), func() (change, error) {
		keys, err := tpox.CustomerKeysOf(stored)
		c := change{statement: "delete_customer", args: []any{id}}
		for _, account := range slices.Sorted(slices.Values(keys.Accounts)) {
			c.more = append(c.more, release(account))
		}
		return c, err
	})
	return err
}
