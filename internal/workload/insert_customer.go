package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var insertCustomer = &transaction{
	Transaction: brokerage.Named("insert_customer"),
	draw: func(u *user, c *call) bool {
		id, ok := u.newID(customerIDs)
		account, enough := u.newID(accountIDs)
		if !ok || !enough {
			return false
		}
		c.id = brokerage.ID(id)
		v := values{id: id, account: account}
		c.doc = u.documents.fill(c.doc[:0], u.template(u.documents.customers), v, u.rand)
		return true
	},
	method: "POST",
	path:   func(dst []byte, c *call) []byte { return appendValidation(append(dst, "/v1/customers"...), c) },
	body:   document,
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		_, err := s.InsertCustomer(ctx, write(), c.doc, c.validate)
		return nil, err
	},
	created: idOf,
	newIDs:  []*idKind{customerIDs, accountIDs},
	keep:    func(u *user, c *call) { u.ownCustomers = append(u.ownCustomers, c.id) },
	prepare: func(n Prepare, p *Prepared) (int, *int64) { return n.Customers, &p.Customers },
}
