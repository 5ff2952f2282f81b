package postgres

import (
	"context"
	"strings"

	"brokerage/internal/tpox"
)

// InsertOrder stores an order and returns its id, or a *tpox.Conflict if the id exists.
func (s *Store) InsertOrder(ctx context.Context, w tpox.Write, doc []byte) (tpox.ID, error) {
	keys, err := tpox.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	steps := []step{{
		name: "insert_order", args: []any{keys.ID, keys.Account, string(doc)}, taken: tpox.DuplicateOrder(keys.ID),
	}}
	if keys.Cash != nil && !s.pure {
		// On a cluster, the row of an order that was just deleted may still be there.
		steps = append(steps, step{
			name: "insert_account_order", taken: errMoved,
			args: []any{keys.Account, keys.ID, number(keys.CashText), keys.CashText},
		})
	}
	return keys.ID, s.change(ctx, w, steps...)
}

// number returns a decimal without the white space around it.
func number(decimal string) string { return strings.Trim(decimal, " \t\r\n") }
