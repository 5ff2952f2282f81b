package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var getSecurityPrice = &transaction{
	Transaction: brokerage.Named("get_security_price"),
	draw:        drawSymbol,
	method:      "GET",
	path:        func(dst []byte, c *call) []byte { return append(securityPath(dst, c), "/price"...) },
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return s.SecurityPrice(ctx, c.symbol)
	},
	key: symbolAttribute,
}
