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
	var readings []reading
	if match != nil {
		readings = []reading{{"lock_security", []any{symbol}, []any{&stored}, brokerage.NoSecurity(symbol)}}
	}
	_, err := s.write(ctx, w, readings, func() (change, error) {
		if !match.Holds(stored) {
			return change{}, &brokerage.Stale{}
		}
		return change{name: "replace_security", args: []any{symbol, doc}, missing: brokerage.NoSecurity(symbol)}, nil
	})
	return err
}
