package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var _ = known(&Transaction{
	Transaction: tpox.Named("update_security_price"),
	draw: func(u *User, c *Call) bool {
		c.Symbol = u.symbol()
		c.Cents = u.between(u.definition.Updates.Price)
		return true
	},
	request: put("/v1/securities/{symbol}/price",
		`<Price xmlns="`+tpox.SecurityNS+`"><LastTrade>{price}</LastTrade></Price>`),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		return s.UpdateSecurityPrice(ctx, write(), c.Symbol, tpox.Price{LastTrade: c.value("price")})
	},
	key: `"{symbol}"`,
})
