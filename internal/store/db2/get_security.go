package db2

import "context"

// GetSecurity returns the security with the given symbol.
func (s *Store) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return s.findSecurity(ctx, "get_security", symbol)
}
