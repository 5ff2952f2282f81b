package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var customerMaxOrder = &transaction{
	Transaction: brokerage.Named("customer_max_order"),
	draw:        drawCustomer,
	method:      "GET",
	path:        func(dst []byte, c *call) []byte { return append(customerPath(dst, c), "/orders/largest"...) },
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return s.CustomerMaxOrder(ctx, c.id)
	},
	key: idKey,
}
