package postgres

import (
	"bytes"
	"context"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/brokerage"
)

// CustomerMaxOrder returns the customer's order with the greatest cash, or *brokerage.NotFound for no such customer.
func (s single) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error) {
	return s.document(ctx, "customer_max_order", "customer", customer)
}

// CustomerMaxOrder reads the shard of the customer. Only a customer with accounts whose orders are elsewhere, because
// an order or another customer had the account first, takes more reads: one for each account.
func (s spread) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error) {
	doc, err := s.document(ctx, "customer_max_order", "customer", customer)
	if err != nil || string(doc) != "-" {
		return doc, err
	}
	if doc, err = s.GetCustomer(ctx, customer); err != nil {
		return nil, err
	}
	keys, err := brokerage.CustomerKeysOf(doc)
	if err != nil {
		return nil, err
	}
	var best []byte
	var bestKeys brokerage.OrderKeys
	for _, account := range keys.Accounts {
		var home brokerage.ID
		err = s.queryRow(ctx, "account_home", pgx.ErrNoRows, []any{account}, []any{&home})
		if noRows(err) {
			continue // it was closed and opened again just now
		}
		if err == nil {
			doc, err = s.lookUp(ctx, "account_max_order", home, account)
		}
		if noRows(err) {
			continue
		}
		var order brokerage.OrderKeys
		if err == nil {
			order, err = brokerage.OrderKeysOf(doc)
		}
		if err != nil {
			return nil, domainError(ctx, err, false)
		}
		c := bytes.Compare(order.Cash, bestKeys.Cash)
		if best == nil || c > 0 || c == 0 && order.ID < bestKeys.ID {
			best, bestKeys = doc, order
		}
	}
	return brokerage.MaxOrder(customer, best), nil
}
