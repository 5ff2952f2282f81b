package postgres

import "context"

// SecurityPrice returns the Security_Price of the security with the given symbol, or *tpox.NotFound.
func (s *Store) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return s.document(ctx, "get_security_price", "security", symbol)
}
