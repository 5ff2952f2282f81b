package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

// updCustacc reads a customer and writes it back: a transaction of the older mix.
var updCustacc = &Transaction{
	Transaction: &brokerage.Transaction{Name: "upd_custacc", Kind: brokerage.Update, Answer: "Customer"},
	draw:        drawCustomer,
	request:     get("/v1/customers/{id}"),
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		doc, err := s.GetCustomer(ctx, c.id)
		if err != nil {
			return nil, err
		}
		return doc, s.ReplaceCustomer(ctx, write(), c.id, doc, c.validate, brokerage.Match{brokerage.ETag(doc)})
	},
	key:      text(`"{id}"`),
	Expected: []brokerage.Reason{reasonStale},
	Replaces: true,
}
