package workload

import "brokerage/internal/tpox"

var buySecurity = known(&Transaction{
	Transaction: tpox.Named("buy_security"),
	draw: func(u *User, c *Call) bool {
		drawHolding(u, c)
		c.Quantity = u.between(u.definition.Trades.Buy.Quantity)
		if u.rand.Float64() >= u.definition.Trades.Buy.Held {
			c.Symbol = u.symbol()
		}
		return true
	},
	request:  post("/v1/accounts/{id}/buy", tradeBody),
	execute:  trade(tpox.Buy),
	key:      `"{id}"`,
	Expected: tradeRefusals,
})
