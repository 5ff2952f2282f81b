package sqlite

import "context"

var getSecurityPrice = &statement{name: "get_security_price", kind: securities}

// SecurityPrice returns the Security_Price, which is stored beside the document in the form of the answer.
func (s *Store) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return s.document(ctx, getSecurityPrice, symbol)
}
