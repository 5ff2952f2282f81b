package workload

import "brokerage/internal/brokerage"

var deleteCustomer = &Transaction{
	Transaction: brokerage.Named("delete_customer"),
	draw: func(u *user, c *call) bool {
		ok := takeOut(u.rand, &u.ownCustomers, &c.id)
		u.newCustomers.remove(c.id)
		return ok
	},
	request: remove("/v1/customers/{id}"),
	execute: deleteByID(brokerage.Store.DeleteCustomer),
	Source:  insertCustomer,
}
