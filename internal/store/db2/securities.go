package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetSecurity is get_security.
func (s *Store) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	if !listed(symbol) {
		return nil, orElse(ctx.Err(), brokerage.NoSecurity(symbol))
	}
	return s.find(ctx, "get_security", "security", symbol)
}

// SecurityPrice is get_security_price.
func (s *Store) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	if !listed(symbol) {
		return nil, orElse(ctx.Err(), brokerage.NoSecurity(symbol))
	}
	return s.find(ctx, "get_security_price", "security", symbol)
}

// SearchSecurities is search_securities.
func (s *Store) SearchSecurities(ctx context.Context, search brokerage.Search) ([]byte, error) {
	if !storable(search.Sector) || len(search.Sector) > 1000 {
		return brokerage.SearchAnswer(0, nil), ctx.Err()
	}
	var count int
	var hits []byte
	err := s.read(ctx, func() (err error) {
		count, hits = 0, nil
		args := []any{search.Sector, figure(search.PEMin), figure(search.PEMax), figure(search.YieldMin)}
		var failed error
		err = eachDocument(ctx, s.db, statements["search_securities"], args, func(stored []byte) {
			hit, err := brokerage.Normal(stored)
			failed = orElse(failed, err)
			count++
			hits = append(hits, hit...)
		})
		return orElse(err, failed)
	})
	if err != nil {
		return nil, err
	}
	return brokerage.SearchAnswer(count, hits), nil
}

// figure is a decimal as brokerage.Scaled makes them: the double nearest to it,
// which is the one that Db2 makes of the same decimal as text.
func figure(scaled int64) float64 { return float64(scaled) / 1e4 }

// UpdateSecurityPrice is update_security_price.
func (s *Store) UpdateSecurityPrice(ctx context.Context, w brokerage.Write, symbol string, p brokerage.Price) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if !listed(symbol) {
		return nil, orElse(ctx.Err(), brokerage.NoSecurity(symbol))
	}
	return s.write(ctx, w, false, func(t *tx) ([]byte, error) {
		changed, err := t.exec("update_security_price", p.LastTrade, p.Ask, p.Bid, symbol)
		switch {
		case err != nil:
			return nil, err
		case changed:
			return t.document("get_security_price", symbol)
		}
		return nil, t.why("get_security", symbol, brokerage.NoSecurity(symbol), func(doc []byte) error {
			_, err := brokerage.SetPrice(doc, p)
			return orElse(err, errNoReason)
		})
	})
}

// ReplaceSecurity puts another document in the place of a security.
func (s *Store) ReplaceSecurity(ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match) error {
	if _, err := brokerage.SecurityToReplace(symbol, doc, false); err != nil {
		return err
	}
	_, err := s.write(ctx, w, false, func(t *tx) ([]byte, error) {
		return nil, t.replace("security", symbol, doc, validate, match)
	})
	if !validate {
		return err
	}
	return s.findings(ctx, err, "", 0, func([]byte) error { return brokerage.ValidateSecurity(doc) })
}
