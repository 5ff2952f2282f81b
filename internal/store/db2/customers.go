package db2

import (
	"context"
	"slices"

	"brokerage/internal/brokerage"
)

// GetCustomer gives the whole document.
func (s *Store) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.find(ctx, "get_customer", "customer", id)
}

// CustomerProfile is customer_profile.
func (s *Store) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.find(ctx, "customer_profile", "customer", id)
}

// AccountSummary is account_summary.
func (s *Store) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.find(ctx, "account_summary", "customer", id)
}

// CustomerOf gives the customer that an account belongs to.
func (s *Store) CustomerOf(ctx context.Context, account brokerage.ID) (id brokerage.ID, err error) {
	var found bool
	err = s.read(ctx, func() (err error) {
		found, err = row(ctx, s.db, "customer_of", []any{account.String()}, []any{&id})
		return err
	})
	if err == nil && !found {
		err = brokerage.NoAccount(account)
	}
	return id, err
}

// asIs is the name of a statement that writes a customer or a security, validated
// or not.
func asIs(name string, validate bool) string {
	if validate {
		return name
	}
	return name + "_as_is"
}

// InsertCustomer is insert_customer.
func (s *Store) InsertCustomer(ctx context.Context, w brokerage.Write, doc []byte, validate bool) (brokerage.ID, error) {
	keys, err := brokerage.CustomerKeysOf(doc)
	if err != nil {
		return 0, err
	}
	var again bool
	_, err = s.write(ctx, w, true, func(t *tx) ([]byte, error) {
		again = t.again
		_, err := t.exec(asIs("insert_customer", validate), doc)
		return nil, err
	})
	switch {
	case duplicate(err) && again && s.same(ctx, "get_customer", keys.ID, doc):
		err = nil
	case duplicate(err):
		err = s.existing(ctx, keys)
	case validate:
		err = s.findings(ctx, err, "", 0, func([]byte) error { return brokerage.ValidateCustomer(doc) })
	}
	return keys.ID, err
}

// existing says which key of a customer was there already. Db2 tells the number of
// an index, which is its name only after a look at the catalog; a look at the
// customer says it as well.
func (s *Store) existing(ctx context.Context, keys brokerage.CustomerKeys) error {
	var one int64
	var there bool
	err := s.read(ctx, func() (err error) {
		there, err = row(ctx, s.db, "has_customer", []any{keys.ID.String()}, []any{&one})
		return err
	})
	switch {
	case err != nil:
		return err
	case there:
		return brokerage.DuplicateCustomer(keys.ID)
	}
	return s.takenAccount(ctx, keys)
}

// takenAccount returns the *Conflict that names the first account of a customer that another has.
func (s *Store) takenAccount(ctx context.Context, keys brokerage.CustomerKeys) error {
	taken := keys.Accounts[0] // where it was another's a moment ago
	for _, account := range keys.Accounts {
		owner, err := s.CustomerOf(ctx, account)
		if err == nil && owner != keys.ID {
			taken = account
			break
		}
		if _, none := err.(*brokerage.NotFound); err != nil && !none { //nolint:errorlint // it is the store's own
			return err
		}
	}
	return brokerage.DuplicateAccount(taken)
}

// ReplaceCustomer puts another document in the place of a customer.
func (s *Store) ReplaceCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match) error {
	keys, err := brokerage.CustomerToReplace(id, doc, false)
	if err != nil {
		return err
	}
	_, err = s.write(ctx, w, false, func(t *tx) ([]byte, error) {
		return nil, t.replace("customer", id.String(), doc, validate, match)
	})
	if duplicate(err) {
		return s.takenAccount(ctx, keys)
	}
	if !validate {
		return err
	}
	return s.findings(ctx, err, "", 0, func([]byte) error { return brokerage.ValidateCustomer(doc) })
}

// replace puts a document in the place of another of its key, if that is a version
// that match allows.
func (t *tx) replace(what, key string, doc []byte, validate bool, match brokerage.Match) error {
	none := &brokerage.NotFound{What: what, Key: key}
	if match != nil {
		stored, err := t.document("lock_"+what, key)
		switch {
		case err != nil:
			return err
		case stored == nil:
			return none
		case !match.Holds(stored):
			return &brokerage.Stale{}
		}
	}
	changed, err := t.exec(asIs("replace_"+what, validate), doc, key)
	if err == nil && !changed {
		err = none
	}
	return err
}

// DeleteCustomer is delete_customer.
func (s *Store) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.remove(ctx, w, "delete_customer", id, brokerage.NoCustomer(id))
}

// OpenAccount is open_account.
func (s *Store) OpenAccount(ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte) (brokerage.ID, error) {
	id, err := brokerage.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	change := func(doc []byte) error {
		changed, err := brokerage.OpenAccount(doc, account)
		if err != nil {
			return err
		}
		return brokerage.ValidateCustomer(changed)
	}
	var again bool
	_, err = s.write(ctx, w, true, func(t *tx) ([]byte, error) {
		again = t.again
		changed, err := t.exec("open_account", account, customer.String())
		if err == nil && !changed {
			err = t.why("get_customer", customer.String(), brokerage.NoCustomer(customer), change)
		}
		return nil, err
	})
	if duplicate(err) {
		if owner, failed := s.CustomerOf(ctx, id); again && failed == nil && owner == customer {
			return id, nil
		}
		return id, brokerage.DuplicateAccount(id)
	}
	return id, s.findings(ctx, err, "get_customer", customer, change)
}

// CloseAccount is close_account.
func (s *Store) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	_, err := s.write(ctx, w, true, func(t *tx) ([]byte, error) {
		changed, err := t.exec("close_account", account.String(), customer.String(), account.String())
		if err != nil || changed {
			return nil, err
		}
		return nil, t.why("get_customer", customer.String(), brokerage.NoCustomer(customer), func(doc []byte) error {
			keys, err := brokerage.CustomerKeysOf(doc)
			if err == nil && t.again && !slices.Contains(keys.Accounts, account) {
				return nil // the attempt before has closed it
			}
			_, err = brokerage.CloseAccount(doc, account)
			return orElse(err, errNoReason)
		})
	})
	return err
}

// errNoReason says that nothing is wrong with a request that was refused: what it
// was refused for has changed since, and another attempt may do better.
var errNoReason error = &ServerError{Code: codeRolledBack, Message: "the document was changed after the statement was refused"}

// why says what a statement was refused for that has changed no row: judge looks
// at the document, if there is one, as the service's own rules do.
func (t *tx) why(name, key string, none error, judge func(doc []byte) error) error {
	doc, err := t.document(name, key)
	switch {
	case err != nil:
		return err
	case doc == nil:
		return none
	}
	return judge(doc)
}
