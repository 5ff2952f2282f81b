package workload

import "brokerage/internal/tpox"

var deleteOrder = &Transaction{
	Transaction: tpox.Named("delete_order"),
	draw: func(u *User, c *Call) bool {
		ok := takeOut(u.rand, &u.ownOrders, &c.ID)
		u.newOrders.remove(c.ID)
		return ok
	},
	request: remove("/v1/orders/{id}"),
	execute: deleteByID(tpox.Store.DeleteOrder),
	Source:  insertOrder,
}
