package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var insertOrder = &Transaction{
	Transaction: tpox.Named("insert_order"),
	draw: func(u *User, c *Call) bool {
		if !u.newID(orderIDs, &c.ID) {
			return false
		}
		c.Account, c.Symbol = u.anyAccount(), u.symbol()
		u.documents.compose(c, u.documents.orders, u.rand)
		return true
	},
	request: post("/v1/orders", "{document}"),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		_, err := s.InsertOrder(ctx, write(), c.doc)
		return nil, err
	},
	location: text("/{id}"),
	newIDs:   []*idKind{orderIDs},
	keep: func(u *User, c *Call) {
		u.ownOrders = append(u.ownOrders, c.ID)
		u.newOrders.add(c.ID)
	},
}
