package db2

import "context"

// SecurityPrice returns the prices of the security with the given symbol.
func (s *Store) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return s.findSecurity(ctx, "get_security_price", symbol)
}
