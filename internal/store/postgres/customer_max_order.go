package postgres

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

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
	// visibleTimeout is how long maxOrderByRows waits for the order of a row. A commit over two nodes becomes visible on
	// one after the other; after the failure of a node, that may take longer, until Citus has recovered the commit.
	visibleTimeout = time.Second
	// nextGreatest is how many rows of each account maxOrderByRows tries after visibleTimeout.
	nextGreatest = 16
)

// maxOrderByRows reads the accounts of the customer, the greatest row of each, and the order of the greatest row. If
// the order is not visible, or differs from its row, everything is read again, for up to visibleTimeout. After that,
// it answers with the greatest row whose order agrees.
func (s *Store) maxOrderByRows(ctx context.Context, customer tpox.ID) (answer []byte, err error) {
	began := time.Now()
	err = s.again(ctx, func(ctx context.Context) error {
		rows := 1
		if time.Since(began) > visibleTimeout {
			rows = nextGreatest
		}
		all, err := s.greatestOrders(ctx, customer, rows)
		if err != nil {
			return err
		}
		for _, row := range all {
			var doc []byte
			if err := s.read(ctx, "get_order_message", []any{row.id}, &doc); err != nil && !noRows(err) {
				return err
			}
			keys, unread := tpox.OrderKeysOf(doc)
			if unread == nil && keys.Account == row.account && keys.CashText == row.text {
				answer = tpox.MaxOrder(customer, doc)
				return nil
			}
			if rows == 1 {
				return errMoved
			}
		}
		answer = tpox.MaxOrder(customer, nil)
		return nil
	}, s.mayTryAgain)
	return answer, domainError(ctx, err, false)
}

// greatestOrders returns the greatest rows of each account of a customer, the greatest of all first.
func (s *Store) greatestOrders(ctx context.Context, customer tpox.ID, rows int) (all []greatOrder, err error) {
	var accounts []tpox.ID
	if err = s.read(ctx, "customer_accounts", []any{customer}, &accounts); noRows(err) {
		return nil, tpox.NoCustomer(customer)
	} else if err != nil {
		return nil, err
	}
	batches := make(map[*pgxpool.Pool]*pgx.Batch) // a round trip to each node
	for _, account := range accounts {
		args := []any{account, rows}
		pool := s.poolFor("greatest_orders", args)
		if batches[pool] == nil {
			batches[pool] = new(pgx.Batch)
		}
		batches[pool].Queue(s.sql("greatest_orders"), args...).Query(func(found pgx.Rows) error {
			o := greatOrder{account: account}
			_, err := pgx.ForEachRow(found, []any{&o.id, &o.text}, func() error {
				o.cash, _ = tpox.SortKey(o.text)
				all = append(all, o)
				return nil
			})
			return err
		})
	}
	for pool, batch := range batches {
		if err := pool.SendBatch(ctx, batch).Close(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b greatOrder) int {
		return cmp.Or(bytes.Compare(b.cash, a.cash), cmp.Compare(a.id, b.id))
	})
	return all, nil
}
