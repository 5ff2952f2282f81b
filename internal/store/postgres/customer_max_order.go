package postgres

import (
	"bytes"
	"context"
	"slices"

	"brokerage/internal/tpox"
)

// CustomerMaxOrder returns the customer's order with the greatest cash, or *tpox.NotFound for no such customer.
func (s single) CustomerMaxOrder(ctx context.Context, customer tpox.ID) ([]byte, error) {
	return s.document(ctx, "customer_max_order", "customer", customer)
}

// fewAccounts is up to how many accounts a statement for each of them costs less than the one that joins customer and
// orders, which Citus plans at length.
const fewAccounts = 8

// CustomerMaxOrder reads the accounts of the customer, then the greatest order of each. It looks up where the orders of
// an account are only for accounts that an order or another customer had first.
func (s spread) CustomerMaxOrder(ctx context.Context, customer tpox.ID) ([]byte, error) {
	var accounts, elsewhere []tpox.ID
	err := s.queryRow(ctx, "customer_accounts", tpox.NoCustomer(customer), []any{customer},
		[]any{&accounts, &elsewhere})
	if err != nil {
		return nil, err
	}
	if len(accounts) > fewAccounts && len(elsewhere) == 0 {
		doc, err := s.document(ctx, "customer_max_order", "customer", customer)
		if string(doc) == "-" { // an account of another customer was opened just now
			return s.CustomerMaxOrder(ctx, customer)
		}
		return doc, err
	}
	var best []byte
	var bestKeys tpox.OrderKeys
	for _, account := range accounts {
		home := customer
		if slices.Contains(elsewhere, account) {
			err = s.queryRow(ctx, "account_home", nil, []any{account}, []any{&home})
			if err != nil {
				return nil, err
			}
		}
		doc, err := s.lookUp(ctx, "account_max_order", home, account)
		if noRows(err) {
			continue
		}
		var order tpox.OrderKeys
		if err == nil {
			order, err = tpox.OrderKeysOf(doc)
		}
		if err != nil {
			return nil, domainError(ctx, err, false)
		}
		c := bytes.Compare(order.Cash, bestKeys.Cash)
		if best == nil || c > 0 || c == 0 && order.ID < bestKeys.ID {
			best, bestKeys = doc, order
		}
	}
	return tpox.MaxOrder(customer, best), nil
}
