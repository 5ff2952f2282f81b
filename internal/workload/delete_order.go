package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var deleteOrder = &transaction{
	Transaction: brokerage.Named("delete_order"),
	draw:        func(u *user, c *call) bool { return takeOut(u.rand, &u.ownOrders, &c.id) },
	method:      "DELETE",
	path:        orderPath,
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return nil, s.DeleteOrder(ctx, write(), c.id)
	},
	source: insertOrder,
}
