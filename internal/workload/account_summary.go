package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var accountSummary = &transaction{
	Transaction: brokerage.Named("account_summary"),
	draw:        drawCustomer,
	method:      "GET",
	path:        func(dst []byte, c *call) []byte { return append(customerPath(dst, c), "/statement"...) },
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return s.AccountSummary(ctx, c.id)
	},
	key: idKey,
}
