package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// DeleteCustomer deletes the customer with the given id and all its accounts, or returns *tpox.NotFound.
func (s *Store) DeleteCustomer(ctx context.Context, w tpox.Write, id tpox.ID) error {
	var stored []byte
	_, err := s.write(ctx, w, lockCustomer(id, &stored), func() ([]step, []byte, error) {
		keys, err := tpox.CustomerKeysOf(stored)
		steps := []step{{name: "delete_customer", args: []any{id}}}
		return append(steps, moveAccounts(id, keys.Accounts, nil)...), nil, err
	})
	return err
}
