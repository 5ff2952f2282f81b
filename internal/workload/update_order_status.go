package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var updateOrderStatus = &transaction{
	Transaction: brokerage.Named("update_order_status"),
	draw: func(u *user, c *call) bool {
		codes := u.definition.Updates.Status
		drawOrder(u, c)
		c.status = codes[u.rand.IntN(len(codes))]
		return true
	},
	method: "PUT",
	path:   func(dst []byte, c *call) []byte { return append(orderPath(dst, c), "/status"...) },
	body: func(dst []byte, c *call) []byte {
		dst = append(dst, `<OrderStatus xmlns="`+brokerage.FIXMLNS+`" Stat="`...)
		return append(append(dst, c.status...), `"></OrderStatus>`...)
	},
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return s.UpdateOrderStatus(ctx, write(), c.id, c.status)
	},
	key: func(dst []byte, c *call) []byte { return append(append(append(dst, '"'), c.status...), '"') },
}
