package db2

import (
	"bytes"
	"context"

	"brokerage/internal/brokerage"
)

// GetOrder is get_order.
func (s *Store) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.find(ctx, "get_order", "order", id)
}

// CustomerMaxOrder is customer_max_order.
func (s *Store) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) (answer []byte, err error) {
	var there bool
	err = s.read(ctx, func() (err error) {
		id := customer.String()
		if answer, err = document(ctx, s.db, "customer_max_order", id, id); answer != nil || err != nil {
			return err
		}
		var one int64
		there, err = row(ctx, s.db, "has_customer", []any{id}, []any{&one})
		return err
	})
	switch {
	case err != nil || answer != nil:
		return answer, err
	case !there:
		return nil, brokerage.NoCustomer(customer)
	}
	return brokerage.MaxOrder(customer, nil), nil
}

// InsertOrder is insert_order.
func (s *Store) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	keys, err := brokerage.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	var again bool
	_, err = s.write(ctx, w, true, func(t *tx) ([]byte, error) {
		again = t.again
		_, err := t.exec("insert_order", doc)
		return nil, err
	})
	if duplicate(err) {
		err = brokerage.DuplicateOrder(keys.ID)
		if again && s.same(ctx, "get_whole_order", keys.ID, doc) {
			err = nil
		}
	}
	return keys.ID, err
}

// duplicate tells whether a write was refused because of a key.
func duplicate(err error) bool {
	unavailable, ok := err.(*brokerage.Unavailable) //nolint:errorlint // it is domainError's own
	return ok && isDuplicate(unavailable.Cause)
}

// same tells whether a document is there as it was to be inserted: then the
// attempt before, of which nobody knew, was committed.
func (s *Store) same(ctx context.Context, name string, id brokerage.ID, doc []byte) bool {
	there, err := s.find(ctx, name, "document", id)
	if err != nil {
		return false
	}
	return bytes.Equal(there, doc) // both are in the normal form
}

// bareOrder is what the answer of update_order_status is made with: it depends on
// the status alone.
const bareOrder = `<FIXML xmlns="` + brokerage.FIXMLNS + `"><Order></Order></FIXML>`

// UpdateOrderStatus is update_order_status.
func (s *Store) UpdateOrderStatus(ctx context.Context, w brokerage.Write, id brokerage.ID, stat string) ([]byte, error) {
	_, answer, err := brokerage.SetOrderStatus([]byte(bareOrder), stat)
	if err != nil {
		return nil, err // a text that XML cannot hold
	}
	if !storable(stat) || len(stat) > 100 {
		return nil, brokerage.Unfit("not an OrdStatus")
	}
	answer, err = s.write(ctx, w, false, func(t *tx) ([]byte, error) {
		changed, err := t.exec("update_order_status", stat, id.String())
		if err == nil && !changed {
			err = brokerage.NoOrder(id)
		}
		return answer, err
	})
	return answer, s.findings(ctx, err, "get_whole_order", id, func(doc []byte) error {
		changed, _, err := brokerage.SetOrderStatus(doc, stat)
		if err != nil {
			return err
		}
		return brokerage.ValidateOrder(changed)
	})
}

// findings lists what is wrong where the database has refused a document, which
// it does without saying more than one thing: the service's own validator looks at
// what the document would have become.
func (s *Store) findings(ctx context.Context, err error, name string, id brokerage.ID, judge func(doc []byte) error) error {
	if !refused(err) {
		return err
	}
	var doc []byte
	if name != "" {
		var failed error
		if doc, failed = s.find(ctx, name, "document", id); failed != nil {
			return err // it says less, but the truth
		}
	}
	if found := judge(doc); found != nil {
		return found
	}
	return err
}

// refused tells whether the database has refused a document.
func refused(err error) bool {
	_, ok := err.(*brokerage.Invalid) //nolint:errorlint // it is domainError's own
	return ok
}

// DeleteOrder is delete_order.
func (s *Store) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.remove(ctx, w, "delete_order", id, brokerage.NoOrder(id))
}

// remove deletes a document. Gone after an attempt of which nobody knew, it was
// deleted by that.
func (s *Store) remove(ctx context.Context, w brokerage.Write, name string, id brokerage.ID, none error) error {
	_, err := s.write(ctx, w, true, func(t *tx) ([]byte, error) {
		changed, err := t.exec(name, id.String())
		if err == nil && !changed && !t.again {
			err = none
		}
		return nil, err
	})
	return err
}
