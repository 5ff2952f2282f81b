package workload

import (
	"context"

	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// updCustacc reads a customer and writes it back: a transaction of the older mix.
var updCustacc = &Transaction{
	Transaction: &tpox.Transaction{Name: "upd_custacc", Kind: tpox.Update, Answer: "Customer"},
	draw:        drawCustomer,
	request:     get("/v1/customers/{id}"),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		doc, err := s.GetCustomer(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		return doc, s.ReplaceCustomer(ctx, write(), c.ID, doc, c.validate, tpox.Match{tpox.ETag(doc)})
	},
	key:      `"{id}"`,
	Expected: []tpox.Reason{result.Stale},
	Replaces: true,
}
