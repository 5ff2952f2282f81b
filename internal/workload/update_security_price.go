package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var updateSecurityPrice = &Transaction{
	Transaction: tpox.Named("update_security_price"),
	draw: func(u *User, c *Call) bool {
		c.Symbol = u.symbol()
		c.Cents = u.between(u.definition.Updates.Price)
		return true
	},
	request: put("/v1/securities/{symbol}/price",
		`<Price xmlns="`+tpox.SecurityNS+`"><LastTrade>{price}</LastTrade></Price>`),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		var text [20]byte // on the stack
		price := tpox.Price{LastTrade: string(appendCents(text[:0], c.Cents))}
		return s.UpdateSecurityPrice(ctx, write(), c.Symbol, price)
	},
	key: text(`"{symbol}"`),
}
