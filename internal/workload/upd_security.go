package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

// updSecurity reads a security and writes it back: a transaction of the older mix.
var updSecurity = &Transaction{
	Transaction: &brokerage.Transaction{Name: "upd_security", Kind: brokerage.Update, Answer: "Security"},
	draw:        drawSymbol,
	request:     get("/v1/securities/{symbol}"),
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		doc, err := s.GetSecurity(ctx, c.symbol)
		if err != nil {
			return nil, err
		}
		return doc, s.ReplaceSecurity(ctx, write(), c.symbol, doc, c.validate, brokerage.Match{brokerage.ETag(doc)})
	},
	key:      text(`>{symbol}<`),
	Expected: []brokerage.Reason{reasonStale},
	Replaces: true,
}
