package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetCustomer gives the whole document.
func (s *Store) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.document(ctx, "get_customer", "customer", id)
}

// CustomerProfile is customer_profile.
func (s *Store) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.document(ctx, "customer_profile", "customer", id)
}

// AccountSummary is account_summary.
func (s *Store) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.document(ctx, "account_summary", "customer", id)
}

// CustomerOf gives the customer that an account belongs to.
func (s *Store) CustomerOf(ctx context.Context, account brokerage.ID) (id brokerage.ID, err error) {
	err = s.one(ctx, "customer_of", brokerage.NoAccount(account), []any{account}, []any{&id})
	return id, err
}

// InsertCustomer is insert_customer.
func (s *Store) InsertCustomer(ctx context.Context, w brokerage.Write, doc []byte, validate bool) (brokerage.ID, error) {
	keys, err := brokerage.CustomerToStore(doc, validate)
	if err != nil {
		return 0, err
	}
	_, err = s.write(ctx, w, nil, func() (change, error) {
		return change{name: "insert_customer", args: []any{doc}}, nil
	})
	return keys.ID, existing(ctx, s.pool, err, keys)
}

// existing says which key of a customer was there already: by the constraint, and
// by a look at the accounts.
func existing(ctx context.Context, q querier, err error, keys brokerage.CustomerKeys) error {
	switch violated(err) {
	case "customers_id":
		return brokerage.DuplicateCustomer(keys.ID)
	case "accounts_account":
		account := keys.Accounts[0] // where it is the customer's own, or was another's a moment ago
		failed := q.QueryRow(ctx, statements["taken_account"], keys.Accounts, keys.ID).Scan(&account)
		if failed != nil && !noRows(failed) {
			return domainError(ctx, failed, false)
		}
		return brokerage.DuplicateAccount(account)
	}
	return err
}

// ReplaceCustomer puts another document in the place of a customer.
func (s *Store) ReplaceCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match) error {
	keys, err := brokerage.CustomerToReplace(id, doc, validate)
	if err != nil {
		return err
	}
	var stored []byte
	var readings []reading
	if match != nil {
		readings = []reading{{"lock_customer", []any{id}, []any{&stored}, brokerage.NoCustomer(id)}}
	}
	_, err = s.write(ctx, w, readings, func() (change, error) {
		if !match.Holds(stored) {
			return change{}, &brokerage.Stale{}
		}
		return change{name: "replace_customer", args: []any{id, doc}, missing: brokerage.NoCustomer(id)}, nil
	})
	return existing(ctx, s.pool, err, keys)
}

// DeleteCustomer is delete_customer.
func (s *Store) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	_, err := s.write(ctx, w, nil, func() (change, error) {
		return change{name: "delete_customer", args: []any{id}, missing: brokerage.NoCustomer(id)}, nil
	})
	return err
}

// OpenAccount is open_account.
func (s *Store) OpenAccount(ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte) (brokerage.ID, error) {
	id, err := brokerage.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	var doc []byte
	_, err = s.write(ctx, w,
		[]reading{{"lock_customer", []any{customer}, []any{&doc}, brokerage.NoCustomer(customer)}},
		func() (change, error) {
			changed, err := brokerage.OpenAccount(doc, account)
			if err == nil {
				err = brokerage.ValidateCustomer(changed)
			}
			return change{name: "replace_customer", args: []any{customer, changed}}, err
		})
	return id, existing(ctx, s.pool, err, brokerage.CustomerKeys{ID: customer, Accounts: []brokerage.ID{id}})
}

// CloseAccount is close_account.
func (s *Store) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	var doc []byte
	_, err := s.write(ctx, w,
		[]reading{{"lock_customer", []any{customer}, []any{&doc}, brokerage.NoCustomer(customer)}},
		func() (change, error) {
			changed, err := brokerage.CloseAccount(doc, account)
			return change{name: "replace_customer", args: []any{customer, changed}}, err
		})
	return err
}

// Trade is buy_security and sell_security. The security is read after the customer
// is locked, so that a trade that had to wait is done at the price of its turn.
func (s *Store) Trade(ctx context.Context, w brokerage.Write, account brokerage.ID, trade brokerage.Trade) ([]byte, error) {
	if err := trade.Validate(); err != nil {
		return nil, err
	}
	var customer brokerage.ID
	var doc, security []byte
	symbol := trade.Symbol
	if !storable(symbol) {
		symbol = "" // no security has it
	}
	return s.write(ctx, w,
		[]reading{
			{"lock_customer_of_account", []any{account}, []any{&customer, &doc}, brokerage.NoAccount(account)},
			{"get_security", []any{symbol}, []any{&security}, brokerage.NoSecurity(trade.Symbol)},
		},
		func() (change, error) {
			changed, answer, err := trade.Apply(s.options.Rules, doc, account, brokerage.QuoteOf(security))
			return change{name: "replace_customer", args: []any{customer, changed}, answer: answer}, err
		})
}
