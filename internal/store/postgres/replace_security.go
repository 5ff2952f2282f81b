package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// ReplaceSecurity replaces the whole document of a security, if match allows the stored version, and its row for
// searches if the keys change.
func (s *Store) ReplaceSecurity(
	ctx context.Context, w tpox.Write, symbol string, doc []byte, validate bool, match tpox.Match,
) error {
	keys, err := tpox.SecurityToReplace(symbol, doc, validate)
	if err != nil {
		return err
	}
	var stored []byte
	_, err = s.write(ctx, w, lockSecurity(symbol, &stored), func() ([]step, []byte, error) {
		if !match.Holds(stored) {
			return nil, nil, &tpox.Stale{}
		}
		steps := []step{{name: "replace_security", args: []any{symbol, string(doc)}}}
		if before, err := tpox.SecurityKeysOf(stored); (err != nil || before != keys) && !s.pure {
			steps = append(steps, step{name: "replace_search", args: searchRow(keys)})
		}
		return steps, nil, nil
	})
	return err
}

// searchRow returns the columns of a row of security_search. The sector is NULL for a security that has none.
func searchRow(keys tpox.SecurityKeys) []any {
	pe, _ := tpox.Scaled(keys.PE) // keys have been checked
	yield, _ := tpox.Scaled(keys.Yield)
	row := []any{keys.Symbol, nil, pe, yield, keys.Name, keys.Type, keys.PE, keys.Yield}
	if keys.Sector != "" {
		row[1] = keys.Sector
	}
	return row
}
