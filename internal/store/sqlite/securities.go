package sqlite

import (
	"context"
	"database/sql/driver"

	"brokerage/internal/brokerage"
)

// GetSecurity is get_security.
func (s *Store) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return s.document(ctx, "get_security", "security", symbol)
}

// SecurityPrice is get_security_price.
func (s *Store) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return packed(ctx, s, "get_security_price", "security", symbol)
}

// SearchSecurities is search_securities.
func (s *Store) SearchSecurities(ctx context.Context, search brokerage.Search) ([]byte, error) {
	var count int
	var hits []byte
	end := s.options.Trace.Statement(ctx, "search_securities")
	err := s.readers.read(ctx, func(r *reader) error {
		count, hits = 0, hits[:0]
		args := []any{search.Sector, search.PEMin, search.PEMax, search.YieldMin}
		return r.rows(ctx, "search_securities", args, func(row []driver.Value) error {
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
	return brokerage.SearchAnswer(count, hits), nil
}

// UpdateSecurityPrice is update_security_price.
func (s *Store) UpdateSecurityPrice(ctx context.Context, w brokerage.Write, symbol string, p brokerage.Price) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return s.revise(ctx, w, s.loadSecurity(ctx, symbol),
		func(f found) (revision, error) {
			doc, err := s.unpack(f.doc)
			if err != nil {
				return revision{}, err
			}
			changed, err := brokerage.SetPrice(doc, p)
			if err != nil {
				return revision{}, err
			}
			return revision{doc: s.pack(securities, changed), answer: brokerage.SecurityPrice(changed)}, nil
		},
		func(t *transaction, _ found, r revision) error {
			_, err := t.exec("update_security_price", symbol, p.LastTrade, r.answer, r.doc)
			return err
		})
}

func (s *Store) loadSecurity(ctx context.Context, symbol string) func(querier) (found, error) {
	return func(q querier) (found, error) {
		b, err := packed(ctx, q, "get_security", "security", symbol)
		return found{key: documentKey{kind: securities, symbol: symbol}, doc: b}, err
	}
}

// ReplaceSecurity puts another document in the place of a security.
func (s *Store) ReplaceSecurity(ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match) error {
	keys, err := brokerage.SecurityToReplace(symbol, doc, validate)
	if err != nil {
		return err
	}
	row := rowOf(keys, doc)
	b := s.pack(securities, doc)
	_, err = s.revise(ctx, w, s.loadSecurity(ctx, symbol),
		func(f found) (revision, error) { return revision{}, s.matches(match, f.doc) },
		func(t *transaction, _ found, _ revision) error {
			_, err := t.exec("replace_security", append([]any{symbol}, append(row.columns(), b)...)...)
			return err
		})
	return err
}

// securityRow is what stands beside the document of a security.
type securityRow struct {
	brokerage.SecurityKeys

	lastTrade string
	price     []byte
}

func rowOf(keys brokerage.SecurityKeys, doc []byte) securityRow {
	return securityRow{keys, brokerage.QuoteOf(doc).LastTrade, brokerage.SecurityPrice(doc)}
}

// columns are those after the symbol.
func (r securityRow) columns() []any {
	pe, _ := brokerage.Scaled(r.PE) // keys were read, so they are decimals
	yield, _ := brokerage.Scaled(r.Yield)
	return []any{r.Name, r.Type, r.Sector, pe, yield, r.PE, r.Yield, r.lastTrade, r.price}
}

func (s *Store) matches(match brokerage.Match, b []byte) error {
	if match == nil {
		return nil
	}
	doc, err := s.unpack(b)
	if err != nil {
		return err
	}
	if !match.Holds(doc) {
		return &brokerage.Stale{}
	}
	return nil
}
