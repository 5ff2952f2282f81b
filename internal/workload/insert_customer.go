package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var insertCustomer = &Transaction{
	Transaction: tpox.Named("insert_customer"),
	draw: func(u *user, c *call) bool {
		if !u.newID(customerIDs, &c.id) || !u.newID(accountIDs, &c.account) {
			return false
		}
		u.documents.compose(c, u.documents.customers, u.rand)
		return true
	},
	request: post("/v1/customers{validation}", "{document}"),
	execute: func(ctx context.Context, s tpox.Store, c *call) ([]byte, error) {
		_, err := s.InsertCustomer(ctx, write(), c.doc, c.validate)
		return nil, err
	},
	location: text("/{id}"),
	newIDs:   []*idKind{customerIDs, accountIDs},
	keep: func(u *user, c *call) {
		u.ownCustomers = append(u.ownCustomers, c.id)
		u.newCustomers.add(c.id)
	},
	prepare: func(n Prepare, p *Prepared) (int, *int64) { return n.Customers, &p.Customers },
}
