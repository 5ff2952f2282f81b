package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"brokerage/internal/brokerage"
)

// GetOrder is get_order.
func (s *Store) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.document(ctx, "get_order", "order", int64(id))
	if err != nil {
		return nil, err
	}
	return brokerage.Order(doc), nil
}

// CustomerMaxOrder is customer_max_order.
func (s *Store) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error) {
	var b []byte
	var order int64
	var accounts string
	err := s.find(ctx, "customer_max_order", int64(customer), &order, &b, &accounts)
	switch {
	case noRows(err):
		return nil, brokerage.NoCustomer(customer)
	case err != nil:
		return nil, domainError(err)
	case b == nil:
		return brokerage.MaxOrder(customer, nil), nil
	}
	doc, err := s.unpack(b)
	if err != nil {
		return nil, err
	}
	return brokerage.MaxOrder(customer, doc), nil
}

// InsertOrder is insert_order.
func (s *Store) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	keys, err := brokerage.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	b := s.pack(orders, doc)
	_, err = s.write(ctx, w, func(t *transaction) ([]byte, error) {
		_, err := t.exec("insert_order", int64(keys.ID), int64(keys.Account), keys.Cash, b)
		if isDuplicate(err) {
			err = brokerage.DuplicateOrder(keys.ID)
		}
		return nil, err
	})
	return keys.ID, err
}

// UpdateOrderStatus is update_order_status.
func (s *Store) UpdateOrderStatus(ctx context.Context, w brokerage.Write, id brokerage.ID, stat string) ([]byte, error) {
	return s.revise(ctx, w,
		func(q querier) (found, error) {
			b, err := packed(ctx, q, "get_order", "order", int64(id))
			return found{key: documentKey{kind: orders, id: int64(id)}, doc: b}, err
		},
		func(f found) (revision, error) {
			doc, err := s.unpack(f.doc)
			if err != nil {
				return revision{}, err
			}
			changed, answer, err := brokerage.SetOrderStatus(doc, stat)
			if err != nil {
				return revision{}, err
			}
			if err := brokerage.ValidateOrder(changed); err != nil {
				return revision{}, err
			}
			return revision{doc: s.pack(orders, changed), answer: answer}, nil
		},
		func(t *transaction, _ found, r revision) error {
			_, err := t.exec("update_order_status", int64(id), r.doc)
			return err
		})
}

// DeleteOrder is delete_order.
func (s *Store) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	_, err := s.write(ctx, w, func(t *transaction) ([]byte, error) {
		var account, bytes int64
		switch err := t.row("delete_order", int64(id)).Scan(&account, &bytes); {
		case noRows(err):
			return nil, brokerage.NoOrder(id)
		case err != nil:
			return nil, err
		}
		t.changed = true
		t.w.changes.add(documentKey{kind: orders, id: int64(id)}, documentKey{kind: ordersOf, id: account})
		t.noted(orders, -1, -bytes)
		return nil, nil
	})
	return err
}

// delete removes one row; if there is none, it is *NotFound.
func (t *transaction) delete(name, what string, key int64) error {
	n, err := t.exec(name, key)
	if err == nil && n == 0 {
		err = &brokerage.NotFound{What: what, Key: fmt.Sprint(key)}
	}
	return err
}

func noRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
