package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var getOrder = &transaction{
	Transaction: brokerage.Named("get_order"),
	draw:        drawOrder,
	method:      "GET",
	path:        orderPath,
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return s.GetOrder(ctx, c.id)
	},
	key: idKey,
}
