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
	name, args := "search_securities", []any{search.Sector, search.PEMin, search.PEMax, search.YieldMin}
	if search.Limit > 0 {
		name, args = "search_securities_page", append(args, search.After, search.Limit)
	}
	answer, err = s.lookUp(ctx, name, args...)
	return answer, domainError(ctx, err, false)
}
