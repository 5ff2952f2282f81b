package sqlite

import (
	"context"
	"strconv"
	"strings"

	"brokerage/internal/tpox"
)

var customerMaxOrder = &statement{name: "customer_max_order", kind: customers, depends: maxOrderDepends}

// CustomerMaxOrder returns a customer's order with the greatest cash.
func (s *Store) CustomerMaxOrder(ctx context.Context, customer tpox.ID) ([]byte, error) {
	var b []byte
	var order int64
	var accounts string
	if err := s.query(ctx, customerMaxOrder, []any{int64(customer)}, &order, &b, &accounts); err != nil {
		return nil, missing(customers, customer, err)
	}
	if b == nil { // the customer has no order with a cash value
		return tpox.MaxOrder(customer, nil), nil
	}
	doc, err := s.unpack(orders, order, b)
	if err != nil {
		return nil, err
	}
	return tpox.MaxOrder(customer, doc), nil
}

// maxOrderDepends returns what the greatest order of a customer depends on: the customer (which accounts there are),
// the orders of these accounts, and the order itself.
func maxOrderDepends(args, columns []any) []documentKey {
	keys := []documentKey{keyOf(customers, args[0]), keyOf(orders, columns[0])}
	accounts := *columns[2].(*string) //nolint:forcetypeassert // the statement's
	for account := range strings.SplitSeq(accounts, ",") {
		id, _ := strconv.ParseInt(account, 10, 64) // 0 for a customer without accounts; no account has id 0
		keys = append(keys, documentKey{kind: ordersOf, id: id})
	}
	return keys
}
