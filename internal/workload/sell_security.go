package workload

import "brokerage/internal/brokerage"

var sellSecurity = &Transaction{
	Transaction: brokerage.Named("sell_security"),
	draw: func(u *user, c *call) bool {
		drawHolding(u, c)
		c.quantity = u.between(u.definition.Trades.Sell.Quantity)
		return true
	},
	method:   "POST",
	path:     text("/v1/accounts/{id}/sell"),
	body:     tradeBody,
	execute:  trade(brokerage.Sell),
	key:      text(`"{id}"`),
	Expected: tradeRefusals,
}
