package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// ReplaceSecurity replaces the whole document of a security, where match allows the stored version. In the spread
// layout, a search finds the security by a row of its own, which is replaced, too.
func (s *Store) ReplaceSecurity(
	ctx context.Context, w tpox.Write, symbol string, doc []byte, validate bool, match tpox.Match,
) error {
	if _, err := tpox.SecurityToReplace(symbol, doc, validate); err != nil {
		return err
	}
	var stored []byte
	c := change{statement: "replace_security", args: []any{symbol, doc}, notFound: tpox.NoSecurity(symbol)}
	if s.layoutName != layoutSingle {
		c.notFound, c.more = nil, []change{{statement: "replace_search", args: []any{doc}}}
	}
	return s.replace(ctx, w, match, lockSecurity(symbol, &stored), &stored, c)
}
