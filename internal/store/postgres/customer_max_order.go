package postgres

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/tpox"
)

// CustomerMaxOrder returns the customer's order with the greatest cash, or *tpox.NotFound for no such customer.
func (s *Store) CustomerMaxOrder(ctx context.Context, customer tpox.ID) ([]byte, error) {
	if s.distributed {
		return s.maxOrderByRows(ctx, customer)
	}
	return s.document(ctx, "customer_max_order", "customer", customer)
}

// A greatOrder is a row of account_orders.
type greatOrder struct {
	account, id tpox.ID
	cash        []byte // a sort key
	text        string
}

const (
	// halfPatience is how long maxOrderByRows waits for an order that its row promises. A commit over two nodes becomes
	// visible on one after the other; after the failure of a node, that takes until Citus has recovered it.
	halfPatience = time.Second
	// nextGreatest is how many rows of each account maxOrderByRows tries after that.
	nextGreatest = 16
)

// maxOrderByRows reads the accounts of the customer, the greatest row of each, and the order of the greatest of them.
// The order decides: where it is not visible, or says otherwise, all is read again, for up to halfPatience; then the
// next greatest row counts whose order agrees.
func (s *Store) maxOrderByRows(ctx context.Context, customer tpox.ID) ([]byte, error) {
	began := time.Now()
	for pause, rows := firstPause, 1; ; pause = min(2*pause, maxPause) {
		if time.Since(began) > halfPatience {
			rows = nextGreatest
		}
		all, err := s.greatestOrders(ctx, customer, rows)
		if err != nil {
			return nil, err
		}
		for _, row := range all {
			var doc []byte
			err := s.read(ctx, "get_order_message", []any{row.id}, &doc)
			if err != nil && !noRows(err) {
				return nil, err
			}
			keys, unread := tpox.OrderKeysOf(doc)
			if err == nil && unread == nil && keys.Account == row.account && keys.CashText == row.text {
				return tpox.MaxOrder(customer, doc), nil
			}
			if rows == 1 {
				break
			}
		}
		if len(all) == 0 || rows > 1 {
			return tpox.MaxOrder(customer, nil), nil
		}
		s.retries.Add(1)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// greatestOrders returns the greatest rows of each account of a customer, the greatest of all first.
func (s *Store) greatestOrders(ctx context.Context, customer tpox.ID, rows int) (all []greatOrder, err error) {
	var accounts []tpox.ID
	if err = s.read(ctx, "customer_accounts", []any{customer}, &accounts); noRows(err) {
		return nil, tpox.NoCustomer(customer)
	} else if err != nil {
		return nil, err
	}
	for _, account := range accounts {
		args := []any{account, rows}
		var found []greatOrder
		err := s.again(ctx, func(ctx context.Context) error {
			rows, _ := s.poolFor("greatest_orders", args).Query(ctx, s.sql("greatest_orders"), args...)
			found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (greatOrder, error) {
				o := greatOrder{account: account}
				err := row.Scan(&o.id, &o.text)
				o.cash, _ = tpox.SortKey(o.text)
				return o, err
			})
			return err
		}, s.mayTryAgain)
		if err != nil {
			return nil, domainError(ctx, err, false)
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b greatOrder) int {
		if c := bytes.Compare(b.cash, a.cash); c != 0 {
			return c
		}
		return int(a.id - b.id)
	})
	return all, nil
}
