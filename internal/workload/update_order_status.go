package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var updateOrderStatus = &Transaction{
	Transaction: brokerage.Named("update_order_status"),
	draw: func(u *user, c *call) bool {
		codes := u.definition.Updates.Status
		drawOrder(u, c)
		c.status = codes[u.rand.IntN(len(codes))]
		return true
	},
	request: put("/v1/orders/{id}/status",
		`<OrderStatus xmlns="`+brokerage.FIXMLNS+`" Stat="{status}"></OrderStatus>`),
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return s.UpdateOrderStatus(ctx, write(), c.id, c.status)
	},
	key: text(`"{status}"`),
}
