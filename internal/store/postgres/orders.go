package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetOrder is get_order. The database cuts the order out, and writes it in its own
// way.
func (s *Store) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.document(ctx, "get_order", "order", id)
	if err != nil {
		return nil, err
	}
	doc, err = brokerage.Normal(doc)
	return doc, domainError(ctx, err, false)
}

// CustomerMaxOrder is customer_max_order.
func (s *Store) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error) {
	return s.document(ctx, "customer_max_order", "customer", customer)
}

// InsertOrder is insert_order.
func (s *Store) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	keys, err := brokerage.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	_, err = s.write(ctx, w, nil, func() (change, error) {
		return change{name: "insert_order", args: []any{keys.Account, doc}}, nil
	})
	if violated(err) == "orders_id" {
		err = brokerage.DuplicateOrder(keys.ID)
	}
	return keys.ID, err
}

// UpdateOrderStatus is update_order_status.
func (s *Store) UpdateOrderStatus(ctx context.Context, w brokerage.Write, id brokerage.ID, stat string) ([]byte, error) {
	var doc []byte
	return s.write(ctx, w,
		[]reading{{"lock_order", []any{id}, []any{&doc}, brokerage.NoOrder(id)}},
		func() (change, error) {
			changed, answer, err := brokerage.SetOrderStatus(doc, stat)
			if err == nil {
				err = brokerage.ValidateOrder(changed)
			}
			return change{name: "update_order_status", args: []any{id, changed}, answer: answer}, err
		})
}

// DeleteOrder is delete_order.
func (s *Store) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	_, err := s.write(ctx, w, nil, func() (change, error) {
		return change{name: "delete_order", args: []any{id}, missing: brokerage.NoOrder(id)}, nil
	})
	return err
}
