package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetSecurity is get_security.
func (s *Store) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return s.document(ctx, "get_security", "security", symbol)
}

// SecurityPrice is get_security_price.
func (s *Store) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return s.document(ctx, "get_security_price", "security", symbol)
}

// SearchSecurities is search_securities.
func (s *Store) SearchSecurities(ctx context.Context, search brokerage.Search) (answer []byte, err error) {
	if !storable(search.Sector) {
		return brokerage.SearchAnswer(0, nil), nil
	}
	answer, err = s.found(ctx, "search_securities", search.Sector, search.PEMin, search.PEMax, search.YieldMin)
	return answer, domainError(ctx, err, false)
}

// UpdateSecurityPrice is update_security_price.
func (s *Store) UpdateSecurityPrice(ctx context.Context, w brokerage.Write, symbol string, p brokerage.Price) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if !storable(symbol) {
		return nil, brokerage.NoSecurity(symbol)
	}
	var doc []byte
	return s.write(ctx, w,
		[]reading{{"lock_security", []any{symbol}, []any{&doc}, brokerage.NoSecurity(symbol)}},
		func() (change, error) {
			changed, err := brokerage.SetPrice(doc, p)
			if err != nil {
				return change{}, err
			}
			return change{name: "replace_security", args: []any{symbol, changed}, answer: brokerage.SecurityPrice(changed)}, nil
		})
}

// ReplaceSecurity puts another document in the place of a security.
func (s *Store) ReplaceSecurity(ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match) error {
	_, err := brokerage.SecurityToReplace(symbol, doc, validate)
	if err != nil {
		return err
	}
	var stored []byte
	var readings []reading
	if match != nil {
		readings = []reading{{"lock_security", []any{symbol}, []any{&stored}, brokerage.NoSecurity(symbol)}}
	}
	_, err = s.write(ctx, w, readings, func() (change, error) {
		if !match.Holds(stored) {
			return change{}, &brokerage.Stale{}
		}
		return change{name: "replace_security", args: []any{symbol, doc}, missing: brokerage.NoSecurity(symbol)}, nil
	})
	return err
}
