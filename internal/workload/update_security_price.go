package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var updateSecurityPrice = &transaction{
	Transaction: brokerage.Named("update_security_price"),
	draw: func(u *user, c *call) bool {
		c.symbol = u.symbol()
		c.cents = u.between(u.definition.Updates.Price)
		return true
	},
	method: "PUT",
	path:   func(dst []byte, c *call) []byte { return append(securityPath(dst, c), "/price"...) },
	body: func(dst []byte, c *call) []byte {
		dst = append(dst, `<Price xmlns="`+brokerage.SecurityNS+`"><LastTrade>`...)
		return append(appendCents(dst, c.cents), "</LastTrade></Price>"...)
	},
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		var price [20]byte
		return s.UpdateSecurityPrice(ctx, write(), c.symbol, brokerage.Price{
			LastTrade: string(appendCents(price[:0], c.cents)),
		})
	},
	key: symbolAttribute,
}
