package workload

import "brokerage/internal/tpox"

var deleteCustomer = &Transaction{
	Transaction: tpox.Named("delete_customer"),
	draw: func(u *user, c *call) bool {
		ok := takeOut(u.rand, &u.ownCustomers, &c.id)
		u.newCustomers.remove(c.id)
		return ok
	},
	request: remove("/v1/customers/{id}"),
	execute: deleteByID(tpox.Store.DeleteCustomer),
	Source:  insertCustomer,
}
