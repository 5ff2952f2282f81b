package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var insertCustomer = &Transaction{
	Transaction: tpox.Named("insert_customer"),
	draw: func(u *User, c *Call) bool {
		if !u.newID(customerIDs, &c.ID) || !u.newID(accountIDs, &c.Account) {
			return false
		}
		u.documents.compose(c, u.documents.customers, u.rand)
		return true
	},
	request: post("/v1/customers{validation}", "{document}"),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		_, err := s.InsertCustomer(ctx, write(), c.doc, c.validate)
		return nil, err
	},
	location: text("/{id}"),
	newIDs:   []*idKind{customerIDs, accountIDs},
	keep: func(u *User, c *Call) {
		u.ownCustomers = append(u.ownCustomers, c.ID)
		u.newCustomers.add(c.ID)
	},
}
