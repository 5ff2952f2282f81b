package workload

import "brokerage/internal/tpox"

var deleteOrder = known(&Transaction{
	Transaction: tpox.Named("delete_order"),
	draw: func(u *User, c *Call) bool {
		id, ok := takeOut(u.rand, &u.ownOrders)
		u.newOrders.remove(id)
		c.ID = id
		return ok
	},
	request: remove("/v1/orders/{id}"),
	execute: deleteByID(tpox.Store.DeleteOrder),
	Source:  InsertOrder,
})
