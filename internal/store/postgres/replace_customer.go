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
	var queries []query
	if match != nil {
		queries = lockCustomer(id, &stored)
	}
	_, err = s.write(ctx, w, queries, func() (change, error) {
		if !match.Holds(stored) {
			return change{}, &brokerage.Stale{}
		}
		return change{statement: "replace_customer", args: []any{id, doc}, notFound: brokerage.NoCustomer(id)}, nil
	})
	return existing(ctx, s.pool, err, keys)
}
