package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// ReplaceSecurity replaces the whole document of a security, where match allows the stored version.
func (s *Store) ReplaceSecurity(
	ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match,
) error {
	if _, err := brokerage.SecurityToReplace(symbol, doc, validate); err != nil {
		return err
	}
	var stored []byte
	var queries []query
	if match != nil {
		queries = lockSecurity(symbol, &stored)
	}
	_, err := s.write(ctx, w, queries, func() (change, error) {
		if !match.Holds(stored) {
			return change{}, &brokerage.Stale{}
		}
		return change{statement: "replace_security", args: []any{symbol, doc}, notFound: brokerage.NoSecurity(symbol)}, nil
	})
	return err
}
