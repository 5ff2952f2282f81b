package workload

import (
	"context"

	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// updSecurity reads a security and writes it back: a transaction of the older mix.
var updSecurity = &Transaction{
	Transaction: &tpox.Transaction{Name: "upd_security", Kind: tpox.Update, Answer: "Security"},
	draw:        drawSymbol,
	request:     get("/v1/securities/{symbol}"),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		doc, err := s.GetSecurity(ctx, c.Symbol)
		if err != nil {
			return nil, err
		}
		return doc, s.ReplaceSecurity(ctx, write(), c.Symbol, doc, c.validate, tpox.Match{tpox.ETag(doc)})
	},
	key:      `>{symbol}<`,
	Expected: []tpox.Reason{result.Stale},
	Replaces: true,
}
