package db2

import (
	"cmp"
	"context"

	"brokerage/internal/tpox"
)

// SearchSecurities returns the securities that match a search, in order of their symbols.
func (s *Store) SearchSecurities(ctx context.Context, search tpox.Search) ([]byte, error) {
	if !storable(search.Sector) || len(search.Sector) > 1000 {
		return tpox.SearchAnswer(0, nil), ctx.Err()
	}
	var count int
	var hits []byte
	name := "search_securities"
	args := []any{search.Sector, double(search.PEMin), double(search.PEMax), double(search.YieldMin)}
	if search.Limit > 0 {
		name, args = "search_securities_page", append(args, search.After)
	}
	err := s.read(ctx, func() (err error) {
		count, hits = 0, nil
		var failed error
		err = eachDocument(ctx, s.db, statements[name], args, func(stored []byte) {
			if search.Limit > 0 && count == search.Limit {
				return
			}
			hit, err := tpox.Normal(stored)
			failed = cmp.Or(failed, err)
			count++
			hits = append(hits, hit...)
		})
		return cmp.Or(err, failed)
	})
	if err != nil {
		return nil, err
	}
	return tpox.SearchAnswer(count, hits), nil
}

// double returns the double nearest to a number of ten-thousandths. Db2 converts the text of the same decimal number to
// the same double.
func double(scaled int64) float64 { return float64(scaled) / 1e4 }
