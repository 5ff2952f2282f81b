package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// UpdateSecurityPrice sets the price of a security and returns its Security_Price.
func (s *Store) UpdateSecurityPrice(
	ctx context.Context, w tpox.Write, symbol string, p tpox.Price,
) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if !storable(symbol) {
		return nil, tpox.NoSecurity(symbol)
	}
	var doc []byte
	return s.write(ctx, w, lockSecurity(symbol, &doc), func() ([]step, []byte, error) {
		changed, err := tpox.SetPrice(doc, p)
		if err != nil {
			return nil, nil, err
		}
		return []step{{name: "replace_security", args: []any{symbol, string(changed)}}}, tpox.SecurityPrice(changed), nil
	})
}

func lockSecurity(symbol string, doc *[]byte) []step {
	return []step{{name: "lock_security", args: []any{symbol}, into: []any{doc}, missing: tpox.NoSecurity(symbol)}}
}
