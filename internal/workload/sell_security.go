package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var sellSecurity = &transaction{
	Transaction: brokerage.Named("sell_security"),
	draw: func(u *user, c *call) bool {
		drawHolding(u, c)
		c.quantity = u.between(u.definition.Trades.Sell.Quantity)
		return true
	},
	method: "POST",
	path:   func(dst []byte, c *call) []byte { return append(accountPath(dst, c), "/sell"...) },
	body:   tradeBody,
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return trade(ctx, s, c, brokerage.Sell)
	},
	key:      idKey,
	expected: tradeRefusals,
}
