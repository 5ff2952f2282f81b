package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var updateOrderStatus = known(&Transaction{
	Transaction: tpox.Named("update_order_status"),
	draw: func(u *User, c *Call) bool {
		codes := u.definition.Updates.Status
		drawOrder(u, c)
		c.Status = codes[u.rand.IntN(len(codes))]
		return true
	},
	request: put("/v1/orders/{id}/status",
		`<OrderStatus xmlns="`+tpox.FIXMLNS+`" Stat="{status}"></OrderStatus>`),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		return s.UpdateOrderStatus(ctx, write(), c.ID, c.Status)
	},
	key: `"{status}"`,
})
