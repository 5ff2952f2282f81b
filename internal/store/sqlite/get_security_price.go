package sqlite

import "context"

var getSecurityPrice = &statement{name: "get_security_price", kind: securities}

// SecurityPrice returns the Security_Price, which is kept beside the document as it is answered.
func (s *Store) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return packed(ctx, s, getSecurityPrice, symbol)
}
