package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// SearchSecurities returns the securities that match a search, in order of their symbols.
func (s *Store) SearchSecurities(ctx context.Context, search brokerage.Search) ([]byte, error) {
	if !storable(search.Sector) || len(search.Sector) > 1000 {
		return brokerage.SearchAnswer(0, nil), ctx.Err()
	}
	args := []any{search.Sector, double(search.PEMin), double(search.PEMax), double(search.YieldMin)}
	docs, err := read(ctx, s, func() ([][]byte, error) { return documents(ctx, s.db, "search_securities", args...) })
	if err != nil {
		return nil, err
	}
	var hits []byte
	for _, stored := range docs {
		hit, err := brokerage.Normal(stored)
		if err != nil {
			return nil, domainError(ctx, err, false)
		}
		hits = append(hits, hit...)
	}
	return brokerage.SearchAnswer(len(docs), hits), nil
}

// double returns the double nearest to a number of ten-thousandths. Db2 converts the same decimal as text to the same
// double.
func double(scaled int64) float64 { return float64(scaled) / 1e4 }
