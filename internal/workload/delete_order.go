package workload

import "brokerage/internal/brokerage"

var deleteOrder = &Transaction{
	Transaction: brokerage.Named("delete_order"),
	draw: func(u *user, c *call) bool {
		ok := takeOut(u.rand, &u.ownOrders, &c.id)
		u.newOrders.remove(c.id)
		return ok
	},
	request: remove("/v1/orders/{id}"),
	execute: deleteByID(brokerage.Store.DeleteOrder),
	Source:  insertOrder,
}
