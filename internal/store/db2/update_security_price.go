package db2

import (
	"cmp"
	"context"

	"brokerage/internal/tpox"
)

// UpdateSecurityPrice sets the prices of a security and returns them.
func (s *Store) UpdateSecurityPrice(
	ctx context.Context, w tpox.Write, symbol string, p tpox.Price,
) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if !listed(symbol) {
		return nil, cmp.Or[error](ctx.Err(), tpox.NoSecurity(symbol))
	}
	return s.write(ctx, w, failUnknown, func(t *tx) ([]byte, error) {
		changed, err := t.exec("update_security_price", p.LastTrade, p.Ask, p.Bid, symbol)
		switch {
		case err != nil:
			return nil, err
		case changed:
			return t.document("get_security_price", symbol)
		}
		return nil, t.explain("get_security", symbol, tpox.NoSecurity(symbol), func(doc []byte) error {
			_, err := tpox.SetPrice(doc, p)
			return cmp.Or(err, errNoReason)
		})
	})
}
