package sqlite

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetCustomer gives the whole document.
func (s *Store) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.document(ctx, "get_customer", "customer", int64(id))
}

// CustomerProfile is customer_profile.
func (s *Store) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.GetCustomer(ctx, id)
	if err != nil {
		return nil, err
	}
	return brokerage.CustomerProfile(doc), nil
}

// AccountSummary is account_summary.
func (s *Store) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.GetCustomer(ctx, id)
	if err != nil {
		return nil, err
	}
	return brokerage.AccountSummary(doc), nil
}

// CustomerOf gives the customer that an account belongs to.
func (s *Store) CustomerOf(ctx context.Context, account brokerage.ID) (brokerage.ID, error) {
	var id int64
	err := s.find(ctx, "customer_of", int64(account), &id)
	switch {
	case noRows(err):
		return 0, brokerage.NoAccount(account)
	case err != nil:
		return 0, domainError(err)
	}
	return brokerage.ID(id), nil
}

// InsertCustomer is insert_customer.
func (s *Store) InsertCustomer(ctx context.Context, w brokerage.Write, doc []byte, validate bool) (brokerage.ID, error) {
	keys, err := brokerage.CustomerToStore(doc, validate)
	if err != nil {
		return 0, err
	}
	b := s.pack(customers, doc)
	_, err = s.write(ctx, w, func(t *transaction) ([]byte, error) {
		if err := t.areNew(keys); err != nil {
			return nil, err
		}
		_, err := t.exec("insert_customer", int64(keys.ID), b)
		for _, account := range keys.Accounts {
			if err == nil {
				err = t.insertAccount(account, keys.ID)
			}
		}
		return nil, err
	})
	return keys.ID, err
}

// areNew refuses keys that exist, so that nothing has to be taken back.
func (t *transaction) areNew(keys brokerage.CustomerKeys) error {
	var id int64
	switch err := t.row("has_customer", int64(keys.ID)).Scan(&id); {
	case err == nil:
		return brokerage.DuplicateCustomer(keys.ID)
	case !noRows(err):
		return err
	}
	for _, account := range keys.Accounts {
		switch err := t.row("customer_of", int64(account)).Scan(&id); {
		case err == nil:
			return brokerage.DuplicateAccount(account)
		case !noRows(err):
			return err
		}
	}
	return nil
}

func (t *transaction) insertAccount(account, customer brokerage.ID) error {
	_, err := t.exec("insert_account", int64(account), int64(customer))
	if isDuplicate(err) {
		err = brokerage.DuplicateAccount(account)
	}
	return err
}

// ReplaceCustomer puts another document in the place of a customer.
func (s *Store) ReplaceCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match) error {
	keys, err := brokerage.CustomerToReplace(id, doc, validate)
	if err != nil {
		return err
	}
	b := s.pack(customers, doc)
	_, err = s.revise(ctx, w, s.loadCustomer(ctx, id),
		func(f found) (revision, error) { return revision{}, s.matches(match, f.doc) },
		func(t *transaction, _ found, _ revision) error {
			if err := t.mayRefuse(); err != nil {
				return err
			}
			if _, err := t.exec("delete_accounts", int64(id)); err != nil {
				return err
			}
			for _, account := range keys.Accounts {
				if err := t.insertAccount(account, id); err != nil {
					return err
				}
			}
			_, err := t.exec("replace_customer", int64(id), b)
			return err
		})
	return err
}

func (s *Store) loadCustomer(ctx context.Context, id brokerage.ID) func(querier) (found, error) {
	return func(q querier) (found, error) {
		b, err := packed(ctx, q, "get_customer", "customer", int64(id))
		return found{key: documentKey{kind: customers, id: int64(id)}, doc: b}, err
	}
}

// DeleteCustomer is delete_customer.
func (s *Store) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	_, err := s.write(ctx, w, func(t *transaction) ([]byte, error) {
		if err := t.deleteCustomer(id); err != nil {
			return nil, err
		}
		_, err := t.exec("delete_accounts", int64(id))
		return nil, err
	})
	return err
}

func (t *transaction) deleteCustomer(id brokerage.ID) error {
	var bytes int64
	switch err := t.row("delete_customer", int64(id)).Scan(&bytes); {
	case noRows(err):
		return brokerage.NoCustomer(id)
	case err != nil:
		return err
	}
	t.changed = true
	t.w.changes.add(documentKey{kind: customers, id: int64(id)})
	t.noted(customers, -1, -bytes)
	return nil
}

// OpenAccount is open_account.
func (s *Store) OpenAccount(ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte) (brokerage.ID, error) {
	id, err := brokerage.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	_, err = s.revise(ctx, w, s.loadCustomer(ctx, customer),
		func(f found) (revision, error) {
			return s.revised(f, func(doc []byte) ([]byte, error) {
				changed, err := brokerage.OpenAccount(doc, account)
				if err == nil {
					err = brokerage.ValidateCustomer(changed)
				}
				return changed, err
			})
		},
		func(t *transaction, f found, r revision) error {
			if err := t.insertAccount(id, customer); err != nil {
				return err
			}
			_, err := t.exec("replace_customer", f.key.id, r.doc)
			return err
		})
	return id, err
}

// revised unpacks a customer, changes it and packs it again.
func (s *Store) revised(f found, change func([]byte) ([]byte, error)) (revision, error) {
	doc, err := s.unpack(f.doc)
	if err != nil {
		return revision{}, err
	}
	if doc, err = change(doc); err != nil {
		return revision{}, err
	}
	return revision{doc: s.pack(customers, doc)}, nil
}

// CloseAccount is close_account.
func (s *Store) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	_, err := s.revise(ctx, w, s.loadCustomer(ctx, customer),
		func(f found) (revision, error) {
			return s.revised(f, func(doc []byte) ([]byte, error) { return brokerage.CloseAccount(doc, account) })
		},
		func(t *transaction, f found, r revision) error {
			if err := t.delete("delete_account", "account", int64(account)); err != nil {
				return err
			}
			_, err := t.exec("replace_customer", f.key.id, r.doc)
			return err
		})
	return err
}

// Trade is buy_security and sell_security.
func (s *Store) Trade(ctx context.Context, w brokerage.Write, account brokerage.ID, trade brokerage.Trade) ([]byte, error) {
	if err := trade.Validate(); err != nil {
		return nil, err
	}
	return s.revise(ctx, w,
		func(q querier) (f found, err error) {
			f.key.kind = customers
			err = q.find(ctx, "customer_of_account", int64(account), &f.key.id, &f.doc)
			switch {
			case noRows(err):
				return f, brokerage.NoAccount(account)
			case err != nil:
				return f, domainError(err)
			}
			f.priced = documentKey{kind: securities, symbol: trade.Symbol}
			f.quote.Symbol = trade.Symbol
			err = q.find(ctx, "get_quote", trade.Symbol, &f.quote.Name, &f.quote.Type, &f.quote.LastTrade)
			if noRows(err) {
				err = brokerage.NoSecurity(trade.Symbol)
			}
			return f, domainError(err)
		},
		func(f found) (r revision, err error) {
			doc, err := s.unpack(f.doc)
			if err != nil {
				return r, err
			}
			changed, answer, err := trade.Apply(s.options.Rules, doc, account, f.quote)
			if err != nil {
				return r, err
			}
			return revision{doc: s.pack(customers, changed), answer: answer}, nil
		},
		func(t *transaction, f found, r revision) error {
			_, err := t.exec("replace_customer", f.key.id, r.doc)
			return err
		})
}
