package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// ReplaceCustomer replaces the document of a customer.
func (s *Store) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match,
) error {
	keys, err := brokerage.CustomerToReplace(id, doc, false)
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
		return invalidFirst(err, func() error { return brokerage.ValidateCustomer(doc) })
	}
	return err
}
