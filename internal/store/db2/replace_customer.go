package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// ReplaceCustomer replaces the document of a customer.
func (s *Store) ReplaceCustomer(
	ctx context.Context, w tpox.Write, id tpox.ID, doc []byte, validate bool, match tpox.Match,
) error {
	keys, err := tpox.CustomerToReplace(id, doc, false)
	if err != nil {
		return err
	}
	_, err = s.write(ctx, w, failUnknown, func(t *tx) ([]byte, error) {
		return nil, t.replace("customer", id.String(), doc, validate, match)
	})
	switch {
	case isDuplicateKey(err):
		return s.duplicateAccount(ctx, keys)
	case validate:
		return invalidFirst(err, func() error { return tpox.ValidateCustomer(doc) })
	}
	return err
}
