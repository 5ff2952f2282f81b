package sqlite

import "context"

var getSecurity = &statement{name: "get_security", kind: securities}

// GetSecurity returns the whole document of a security.
func (s *Store) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return s.document(ctx, getSecurity, symbol)
}
