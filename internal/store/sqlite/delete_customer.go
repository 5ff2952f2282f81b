package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var (
	sizeCustomer   = &statement{name: "size_customer", kind: customers}
	deleteCustomer = &statement{name: "delete_customer", kind: customers, adds: -1}
)

// DeleteCustomer removes a customer with all accounts.
func (s *Store) DeleteCustomer(ctx context.Context, w tpox.Write, id tpox.ID) error {
	_, err := s.write(ctx, w, func(t *transaction) ([]byte, error) {
		if err := t.row(sizeCustomer, []any{int64(id)}, &t.replaced); err != nil {
			return nil, missing(customers, id, err)
		}
		if _, err := t.exec(deleteCustomer, int64(id)); err != nil {
			return nil, err
		}
		_, err := t.exec(deleteAccounts, int64(id))
		return nil, err
	})
	return err
}
