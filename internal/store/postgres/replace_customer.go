package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// ReplaceCustomer replaces the whole document of a customer, where match allows the stored version.
func (s *Store) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match,
) error {
	keys, err := brokerage.CustomerToReplace(id, doc, validate)
	if err != nil {
		return err
	}
	var stored []byte
	var readings []reading
	if match != nil {
		readings = []reading{{"lock_customer", []any{id}, []any{&stored}, brokerage.NoCustomer(id)}}
	}
	_, err = s.write(ctx, w, readings, func() (change, error) {
		if !match.Holds(stored) {
			return change{}, &brokerage.Stale{}
		}
		return change{name: "replace_customer", args: []any{id, doc}, missing: brokerage.NoCustomer(id)}, nil
	})
	return existing(ctx, s.pool, err, keys)
}
