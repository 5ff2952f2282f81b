package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var updateOrderStatus = &Transaction{
	Transaction: tpox.Named("update_order_status"),
	draw: func(u *user, c *call) bool {
		codes := u.definition.Updates.Status
		drawOrder(u, c)
		c.status = codes[u.rand.IntN(len(codes))]
		return true
	},
	request: put("/v1/orders/{id}/status",
		`<OrderStatus xmlns="`+tpox.FIXMLNS+`" Stat="{status}"></OrderStatus>`),
	execute: func(ctx context.Context, s tpox.Store, c *call) ([]byte, error) {
		return s.UpdateOrderStatus(ctx, write(), c.id, c.status)
	},
	key: text(`"{status}"`),
}
