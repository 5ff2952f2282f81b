package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

var (
	hasCustomer    = &statement{name: "has_customer"}
	insertCustomer = &statement{name: "insert_customer", kind: customers, stores: true, adds: 1}
	insertAccount  = &statement{name: "insert_account"}
)

// InsertCustomer stores a new customer with all accounts.
func (s *Store) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, validate bool,
) (brokerage.ID, error) {
	keys, err := brokerage.CustomerToStore(doc, validate)
	if err != nil {
		return 0, err
	}
	b := s.pack(customers, doc)
	_, err = s.write(ctx, w, func(t *transaction) ([]byte, error) {
		if err := t.areNew(keys); err != nil {
			return nil, err
		}
		return nil, t.insertCustomer(keys, b)
	})
	return keys.ID, err
}

// areNew refuses ids that exist before anything is changed, so that nothing has to be rolled back.
func (t *transaction) areNew(keys brokerage.CustomerKeys) error {
	var id int64
	err := t.row(hasCustomer, []any{int64(keys.ID)}, &id)
	if err == nil {
		return brokerage.DuplicateCustomer(keys.ID)
	}
	for i := 0; i < len(keys.Accounts) && noRows(err); i++ {
		if err = t.row(customerOf, []any{int64(keys.Accounts[i])}, &id); err == nil {
			return brokerage.DuplicateAccount(keys.Accounts[i])
		}
	}
	if noRows(err) {
		return nil
	}
	return err
}

func (t *transaction) insertCustomer(keys brokerage.CustomerKeys, packed []byte) error {
	if _, err := t.exec(insertCustomer, int64(keys.ID), packed); err != nil {
		return err
	}
	return t.insertAccounts(keys.ID, keys.Accounts...)
}

// insertAccounts notes which customer accounts belong to. One that exists is a *Conflict.
func (t *transaction) insertAccounts(customer brokerage.ID, accounts ...brokerage.ID) error {
	for _, account := range accounts {
		_, err := t.exec(insertAccount, int64(account), int64(customer))
		if isDuplicate(err) {
			err = brokerage.DuplicateAccount(account)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
