package sqlite

import (
	"context"
	"slices"
	"strings"

	"brokerage/internal/tpox"
)

var searchSecurities = &statement{
	name: "search_securities", slow: true,
	depends: func(_, _ []any) []documentKey { return []documentKey{searchedKey} },
}

// SearchSecurities returns the securities that match, in order of their symbols.
func (s *Store) SearchSecurities(ctx context.Context, search tpox.Search) ([]byte, error) {
	if search.Limit == 0 {
		search.After = "" // used only with a limit
	}
	args := []any{search.Sector, search.PEMin, search.PEMax, search.YieldMin, search.After}
	var found string
	if err := s.query(ctx, searchSecurities, args, &found); err != nil {
		return nil, domainError(err)
	}
	return searchAnswer(search, found), nil
}

// searchAnswer returns the answer of a search. found holds the hits as the statement returns them.
func searchAnswer(search tpox.Search, found string) []byte {
	const endOfColumn, endOfHit = "\x1f", "\x1e"
	if found == "" {
		return tpox.SearchAnswer(0, nil)
	}
	hits := strings.Split(found, endOfHit)
	slices.Sort(hits) // by symbol, which comes first and is unique
	if search.Limit > 0 {
		hits = hits[:min(search.Limit, len(hits))]
	}
	const tags = 150 // bytes of a hit's tags
	elements := make([]byte, 0, len(found)+len(hits)*(tags+len(search.Sector)))
	for _, hit := range hits {
		keys := tpox.SecurityKeys{Sector: search.Sector}
		for _, column := range [...]*string{&keys.Symbol, &keys.Name, &keys.Type, &keys.PE, &keys.Yield} {
			*column, hit, _ = strings.Cut(hit, endOfColumn)
		}
		elements = tpox.AppendHit(elements, keys)
	}
	return tpox.SearchAnswer(len(hits), elements)
}
