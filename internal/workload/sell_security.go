package workload

import "brokerage/internal/tpox"

var sellSecurity = known(&Transaction{
	Transaction: tpox.Named("sell_security"),
	draw: func(u *User, c *Call) bool {
		drawHolding(u, c)
		c.Quantity = u.between(u.definition.Trades.Sell.Quantity)
		return true
	},
	request:  post("/v1/accounts/{id}/sell", tradeBody),
	execute:  trade(tpox.Sell),
	key:      `"{id}"`,
	Expected: tradeRefusals,
})
