package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// ReplaceSecurity replaces the document of a security.
func (s *Store) ReplaceSecurity(
	ctx context.Context, w tpox.Write, symbol string, doc []byte, validate bool, match tpox.Match,
) error {
	if _, err := tpox.SecurityToReplace(symbol, doc, false); err != nil {
		return err
	}
	_, err := s.write(ctx, w, failUnknown, func(t *tx) ([]byte, error) {
		return nil, t.replace("security", symbol, doc, validate, match)
	})
	if !validate {
		return err
	}
	return invalidFirst(err, func() error { return tpox.ValidateSecurity(doc) })
}
