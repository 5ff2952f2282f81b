package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var getCustomer = &statement{name: "get_customer", kind: customers}

// GetCustomer returns the whole document of a customer.
func (s *Store) GetCustomer(ctx context.Context, id tpox.ID) ([]byte, error) {
	return s.document(ctx, getCustomer, int64(id))
}
