package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var insertOrder = &Transaction{
	Transaction: tpox.Named("insert_order"),
	draw: func(u *user, c *call) bool {
		if !u.newID(orderIDs, &c.id) {
			return false
		}
		c.account, c.symbol = u.anyAccount(), u.symbol()
		u.documents.compose(c, u.documents.orders, u.rand)
		return true
	},
	request: post("/v1/orders", "{document}"),
	execute: func(ctx context.Context, s tpox.Store, c *call) ([]byte, error) {
		_, err := s.InsertOrder(ctx, write(), c.doc)
		return nil, err
	},
	location: text("/{id}"),
	newIDs:   []*idKind{orderIDs},
	keep: func(u *user, c *call) {
		u.ownOrders = append(u.ownOrders, c.id)
		u.newOrders.add(c.id)
	},
	prepare: func(n Prepare, p *Prepared) (int, *int64) { return n.Orders, &p.Orders },
}
