package workload

import "brokerage/internal/tpox"

var buySecurity = &Transaction{
	Transaction: tpox.Named("buy_security"),
	draw: func(u *user, c *call) bool {
		drawHolding(u, c)
		c.quantity = u.between(u.definition.Trades.Buy.Quantity)
		if u.rand.Float64() >= u.definition.Trades.Buy.Held {
			c.symbol = u.symbol()
		}
		return true
	},
	request:  post("/v1/accounts/{id}/buy", tradeBody),
	execute:  trade(tpox.Buy),
	key:      text(`"{id}"`),
	Expected: tradeRefusals,
}
