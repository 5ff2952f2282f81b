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
	c := change{statement: "replace_security", args: []any{symbol, doc}, notFound: brokerage.NoSecurity(symbol)}
	return s.replace(ctx, w, match, lockSecurity(symbol, &stored), &stored, c)
}
