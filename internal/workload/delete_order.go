package workload

import "brokerage/internal/brokerage"

var deleteOrder = &Transaction{
	Transaction: brokerage.Named("delete_order"),
	draw:        func(u *user, c *call) bool { return takeOut(u.rand, &u.ownOrders, &c.id) },
	request:     remove("/v1/orders/{id}"),
	execute:     deleteByID(brokerage.Store.DeleteOrder),
	Source:      insertOrder,
}
