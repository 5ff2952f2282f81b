package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

var (
	sizeCustomer   = &statement{name: "size_customer", kind: customers}
	deleteCustomer = &statement{name: "delete_customer", kind: customers}
)

// DeleteCustomer removes a customer with all accounts.
func (s *Store) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	_, err := s.write(ctx, w, func(t *transaction) ([]byte, error) {
		if err := t.deleteCustomer(id); err != nil {
			return nil, err
		}
		_, err := t.exec(deleteAccounts, int64(id))
		return nil, err
	})
	return err
}

// deleteCustomer removes a customer without the rows of the accounts.
func (t *transaction) deleteCustomer(id brokerage.ID) error {
	var size int64
	err := t.row(sizeCustomer, []any{int64(id)}, &size)
	if noRows(err) {
		err = brokerage.NoCustomer(id)
	}
	if err != nil {
		return err
	}
	return t.remove(deleteCustomer, int64(id), size)
}
