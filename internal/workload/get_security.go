package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var getSecurity = &transaction{
	Transaction: brokerage.Named("get_security"),
	draw:        drawSymbol,
	method:      "GET",
	path:        securityPath,
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return s.GetSecurity(ctx, c.symbol)
	},
	key: symbolElement,
}
