package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// ReplaceSecurity replaces the whole document of a security, where match allows the stored version.
func (s single) ReplaceSecurity(
	ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match,
) error {
	if _, err := brokerage.SecurityToReplace(symbol, doc, validate); err != nil {
		return err
	}
	var stored []byte
	c := change{statement: "replace_security", args: []any{symbol, doc}, notFound: brokerage.NoSecurity(symbol)}
	return s.replace(ctx, w, match, lockSecurity(symbol, &stored), &stored, c)
}

// ReplaceSecurity also replaces the row that a search finds.
func (s spread) ReplaceSecurity(
	ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match,
) error {
	if _, err := brokerage.SecurityToReplace(symbol, doc, validate); err != nil {
		return err
	}
	var stored []byte
	_, err := s.write(ctx, w, lockSecurity(symbol, &stored), func() (change, error) {
		if !match.Holds(stored) {
			return change{}, &brokerage.Stale{}
		}
		return change{
			statement: "replace_security", args: []any{symbol, doc},
			more: []change{{statement: "replace_search", args: []any{doc}}},
		}, nil
	})
	return err
}
