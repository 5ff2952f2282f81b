package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// SearchSecurities returns the securities of a sector within bounds, in order of their symbols.
func (s *Store) SearchSecurities(ctx context.Context, search brokerage.Search) (answer []byte, err error) {
	if !storable(search.Sector) {
		return brokerage.SearchAnswer(0, nil), nil
	}
	answer, err = s.lookUp(ctx, "search_securities", search.Sector, search.PEMin, search.PEMax, search.YieldMin)
	return answer, domainError(ctx, err, false)
}
