package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"

	"brokerage/internal/brokerage"
)

var (
	searchSecurities     = &statement{name: "search_securities"}
	searchSecuritiesPage = &statement{name: "search_securities_page"}
)

// SearchSecurities returns the securities that match, in order of their symbols.
func (s *Store) SearchSecurities(ctx context.Context, search brokerage.Search) ([]byte, error) {
	parameters := fmt.Sprintf("%q %d %d %d %d %q", search.Sector, search.PEMin, search.PEMax, search.YieldMin,
		search.Limit, search.After)
	if v, ok := s.kept(ctx, searchSecurities, parameters); ok {
		return v.content, nil
	}
	var count int
	var hits []byte
	var from uint64
	st, args := searchSecurities, []any{search.Sector, search.PEMin, search.PEMax, search.YieldMin}
	if search.Limit > 0 {
		st, args = searchSecuritiesPage, append(args, search.After, int64(search.Limit))
	}
	end := s.options.Trace.Statement(ctx, st.name)
	err := s.readers.read(ctx, func(r *reader) error {
		count, hits, from = 0, hits[:0], r.from
		return r.rows(ctx, st, args, func(row []driver.Value) error {
			var hit brokerage.SecurityKeys
			err := assign(row, &hit.Symbol, &hit.Name, &hit.Type, &hit.Sector, &hit.PE, &hit.Yield)
			count++
			hits = brokerage.AppendHit(hits, hit)
			return err
		})
	}, func() []documentKey { return []documentKey{searchedKey} }, searchedKey)
	end(err)
	if err != nil {
		return nil, domainError(err)
	}
	answer := brokerage.SearchAnswer(count, hits)
	s.cache.put(cacheKey(searchSecurities, parameters),
		cacheValue{content: answer, from: from, depends: []documentKey{searchedKey}})
	return answer, nil
}
