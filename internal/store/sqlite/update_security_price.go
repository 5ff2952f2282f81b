package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var updateSecurityPrice = &statement{name: "update_security_price", kind: securities, stores: true}

// UpdateSecurityPrice changes the price of a security and returns its Security_Price.
func (s *Store) UpdateSecurityPrice(
	ctx context.Context, w tpox.Write, symbol string, p tpox.Price,
) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return s.revise(ctx, w, func(r *revision) error {
		doc, err := r.document(ctx, getSecurity, symbol)
		if err != nil {
			return err
		}
		changed, err := tpox.SetPrice(doc, p)
		if err != nil {
			return err
		}
		r.answer = tpox.SecurityPrice(changed)
		r.write(updateSecurityPrice, symbol, p.LastTrade, r.answer, s.pack(securities, changed))
		return nil
	})
}
