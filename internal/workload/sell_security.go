package workload

import "brokerage/internal/brokerage"

var sellSecurity = &Transaction{
	Transaction: brokerage.Named("sell_security"),
	draw: func(u *user, c *call) bool {
		drawHolding(u, c)
		c.quantity = u.between(u.definition.Trades.Sell.Quantity)
		return true
	},
	request:  post("/v1/accounts/{id}/sell", tradeBody),
	execute:  trade(brokerage.Sell),
	key:      text(`"{id}"`),
	Expected: tradeRefusals,
}
