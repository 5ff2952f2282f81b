package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

var deleteCustomer = &statement{name: "delete_customer"}

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
	var bytes int64
	switch err := t.row(deleteCustomer, []any{int64(id)}, &bytes); {
	case noRows(err):
		return brokerage.NoCustomer(id)
	case err != nil:
		return err
	}
	t.removed(documentKey{kind: customers, id: int64(id)}, bytes)
	return nil
}
