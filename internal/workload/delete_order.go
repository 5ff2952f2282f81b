package workload

import "brokerage/internal/tpox"

var deleteOrder = &Transaction{
	Transaction: tpox.Named("delete_order"),
	draw: func(u *user, c *call) bool {
		ok := takeOut(u.rand, &u.ownOrders, &c.id)
		u.newOrders.remove(c.id)
		return ok
	},
	request: remove("/v1/orders/{id}"),
	execute: deleteByID(tpox.Store.DeleteOrder),
	Source:  insertOrder,
}
