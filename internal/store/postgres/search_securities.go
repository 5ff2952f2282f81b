package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// SearchSecurities returns the securities of a sector within bounds, in order of their symbols.
func (s *Store) SearchSecurities(ctx context.Context, search tpox.Search) (answer []byte, err error) {
	if !storable(search.Sector) {
		return tpox.SearchAnswer(0, nil), nil
	}
	args := []any{search.Sector, search.PEMin, search.PEMax, search.YieldMin, "", nil}
	if search.Limit > 0 {
		args[4], args[5] = search.After, search.Limit
	}
	err = s.read(ctx, "search_securities", args, &answer)
	return answer, err
}
