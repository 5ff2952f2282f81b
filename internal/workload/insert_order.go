package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var insertOrder = &transaction{
	Transaction: brokerage.Named("insert_order"),
	draw: func(u *user, c *call) bool {
		id, ok := u.newID(orderIDs)
		if !ok {
			return false
		}
		c.id = brokerage.ID(id)
		v := values{id: id, account: u.anyAccount(), symbol: u.symbol()}
		c.doc = u.documents.fill(c.doc[:0], u.template(u.documents.orders), v, u.rand)
		return true
	},
	method: "POST",
	path:   func(dst []byte, _ *call) []byte { return append(dst, "/v1/orders"...) },
	body:   document,
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		_, err := s.InsertOrder(ctx, write(), c.doc)
		return nil, err
	},
	created: idOf,
	newIDs:  []*idKind{orderIDs},
	keep:    func(u *user, c *call) { u.ownOrders = append(u.ownOrders, c.id) },
	prepare: func(n Prepare, p *Prepared) (int, *int64) { return n.Orders, &p.Orders },
}
