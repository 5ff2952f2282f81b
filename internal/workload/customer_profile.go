package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var customerProfile = &transaction{
	Transaction: brokerage.Named("customer_profile"),
	draw:        drawCustomer,
	method:      "GET",
	path:        func(dst []byte, c *call) []byte { return append(customerPath(dst, c), "/profile"...) },
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return s.CustomerProfile(ctx, c.id)
	},
	key: idKey,
}
