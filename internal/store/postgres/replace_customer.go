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
	c := change{statement: "replace_customer", args: []any{id, doc}, notFound: brokerage.NoCustomer(id)}
	err = s.replace(ctx, w, match, lockCustomer(id, &stored), &stored, c)
	return existing(ctx, s.pool, err, keys)
}
