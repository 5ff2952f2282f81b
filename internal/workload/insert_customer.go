package workload

import (
	"context"

	"brokerage/internal/tpox"
)

// InsertCustomer is also run before the load, for the customers that a user deletes later.
var InsertCustomer = known(&Transaction{
	Transaction: tpox.Named("insert_customer"),
	draw: func(u *User, c *Call) bool {
		if !u.newIDs(&u.customerIDs, 1, &c.ID) || !u.newIDs(&u.accountIDs, mostAccounts, &c.Account) {
			return false
		}
		u.compose(c, "customer")
		return true
	},
	request: post("/v1/customers{validation}", "{document}"),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		_, err := s.InsertCustomer(ctx, write(), c.doc, c.validate)
		return nil, err
	},
	location: "/{id}",
	keep: func(u *User, c *Call) {
		u.ownCustomers = append(u.ownCustomers, c.ID)
		u.newCustomers.add(c.ID)
	},
})

// mostAccounts is how many accounts a new customer may have.
const mostAccounts = 3
