package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var (
	insertSecurity = &statement{
		name: "insert_security", kind: securities, stores: true, adds: 1, changes: changesSearched,
	}
	replaceSecurity = &statement{name: "replace_security", kind: securities, stores: true, changes: changesSearched}
)

// ReplaceSecurity replaces the document of a security.
func (s *Store) ReplaceSecurity(
	ctx context.Context, w tpox.Write, symbol string, doc []byte, validate bool, match tpox.Match,
) error {
	leave, err := s.large.Enter(ctx, len(doc))
	if err != nil {
		return err
	}
	defer leave()
	keys, err := tpox.SecurityToReplace(symbol, doc, validate)
	if err != nil {
		return err
	}
	row := securityRowOf(keys, doc)
	b := s.pack(securities, doc)
	_, err = s.revise(ctx, w, func(r *revision) error {
		before, err := r.packed(ctx, getSecurity, symbol)
		if err != nil {
			return err
		}
		r.write(replaceSecurity, row.args(b)...)
		return s.matches(match, securities, symbol, before)
	})
	return err
}

func changesSearched([]any) documentKey { return searchedKey }

// securityRow holds the columns of a security other than the document.
type securityRow struct {
	tpox.SecurityKeys

	lastTrade string
	price     []byte
}

func securityRowOf(keys tpox.SecurityKeys, doc []byte) securityRow {
	return securityRow{keys, tpox.QuoteOf(doc).LastTrade, tpox.SecurityPrice(doc)}
}

// columns returns the values of the columns between the symbol and the document.
func (r securityRow) columns() []any {
	pe, _ := tpox.Scaled(r.PE) // keys were read, so they are decimals
	yield, _ := tpox.Scaled(r.Yield)
	return []any{r.Name, r.Type, r.Sector, pe, yield, r.PE, r.Yield, r.lastTrade, r.price}
}

// args returns the arguments of insertSecurity and replaceSecurity.
func (r securityRow) args(packed []byte) []any {
	return append(append([]any{r.Symbol}, r.columns()...), packed)
}
