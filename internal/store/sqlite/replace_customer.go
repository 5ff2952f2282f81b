package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var (
	replaceCustomer = &statement{name: "replace_customer", kind: customers, stores: true}
	deleteAccounts  = &statement{name: "delete_accounts"}
)

// ReplaceCustomer replaces the document of a customer, and its accounts.
func (s *Store) ReplaceCustomer(
	ctx context.Context, w tpox.Write, id tpox.ID, doc []byte, validate bool, match tpox.Match,
) error {
	leave, err := s.large.Enter(ctx, len(doc))
	if err != nil {
		return err
	}
	defer leave()
	keys, err := tpox.CustomerToReplace(id, doc, validate)
	if err != nil {
		return err
	}
	b := s.pack(customers, doc)
	_, err = s.revise(ctx, w, func(r *revision) error {
		before, err := r.packed(ctx, getCustomer, int64(id))
		if err != nil {
			return err
		}
		r.before = func(t *transaction) error {
			if err := t.setSavepoint(); err != nil {
				return err
			}
			if _, err := t.exec(deleteAccounts, int64(id)); err != nil {
				return err
			}
			return t.insertAccounts(id, keys.Accounts...)
		}
		r.write(replaceCustomer, int64(id), b)
		return s.matches(match, customers, int64(id), before)
	})
	return err
}

// matches returns *tpox.Stale if match does not allow the version of a packed document.
func (s *Store) matches(match tpox.Match, k kind, key any, packed []byte) error {
	if match == nil {
		return nil
	}
	doc, err := s.unpack(k, key, packed)
	if err != nil {
		return err
	}
	if !match.Holds(doc) {
		return &tpox.Stale{}
	}
	return nil
}
