package sqlite

import (
	"context"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

var (
	insertCustomer = &statement{name: "insert_customer", kind: customers, stores: true, adds: 1}
	insertAccount  = &statement{name: "insert_account"}
	customerOf     = &statement{name: "customer_of"}
)

// InsertCustomer stores a new customer with all accounts.
func (s *Store) InsertCustomer(
	ctx context.Context, w tpox.Write, doc []byte, validate bool,
) (tpox.ID, error) {
	leave, err := s.large.Enter(ctx, len(doc))
	if err != nil {
		return 0, err
	}
	defer leave()
	keys, err := tpox.CustomerToStore(doc, validate)
	if err != nil {
		return 0, err
	}
	packed := store.PreparedDocument{Keys: keys, Doc: s.pack(customers, doc)}
	_, err = s.write(ctx, w, func(t *transaction) ([]byte, error) { return nil, t.insert(packed) })
	return keys.ID, err
}

// insertAccounts records that accounts belong to a customer. If one exists already, it returns *tpox.Conflict.
func (t *transaction) insertAccounts(customer tpox.ID, accounts ...tpox.ID) error {
	for _, account := range accounts {
		_, err := t.exec(insertAccount, int64(account), int64(customer))
		if isDuplicate(err) {
			err = tpox.DuplicateAccount(account)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
