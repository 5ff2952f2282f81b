package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var updateSecurityPrice = &Transaction{
	Transaction: tpox.Named("update_security_price"),
	draw: func(u *user, c *call) bool {
		c.symbol = u.symbol()
		c.cents = u.between(u.definition.Updates.Price)
		return true
	},
	request: put("/v1/securities/{symbol}/price",
		`<Price xmlns="`+tpox.SecurityNS+`"><LastTrade>{price}</LastTrade></Price>`),
	execute: func(ctx context.Context, s tpox.Store, c *call) ([]byte, error) {
		var text [20]byte // on the stack
		price := tpox.Price{LastTrade: string(appendCents(text[:0], c.cents))}
		return s.UpdateSecurityPrice(ctx, write(), c.symbol, price)
	},
	key: text(`"{symbol}"`),
}
