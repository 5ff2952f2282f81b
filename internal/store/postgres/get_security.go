package postgres

import "context"

// GetSecurity returns the security with the given symbol, or *tpox.NotFound.
func (s *Store) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return s.document(ctx, "get_security", "security", symbol)
}
