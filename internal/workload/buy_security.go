package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var buySecurity = &transaction{
	Transaction: brokerage.Named("buy_security"),
	draw: func(u *user, c *call) bool {
		drawHolding(u, c)
		c.quantity = u.between(u.definition.Trades.Buy.Quantity)
		if u.rand.Float64() >= u.definition.Trades.Buy.Held {
			c.symbol = u.symbol()
		}
		return true
	},
	method: "POST",
	path:   func(dst []byte, c *call) []byte { return append(accountPath(dst, c), "/buy"...) },
	body:   tradeBody,
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return trade(ctx, s, c, brokerage.Buy)
	},
	key:      idKey,
	expected: tradeRefusals,
}
