package workload

import "brokerage/internal/tpox"

var deleteCustomer = &Transaction{
	Transaction: tpox.Named("delete_customer"),
	draw: func(u *User, c *Call) bool {
		ok := takeOut(u.rand, &u.ownCustomers, &c.ID)
		u.newCustomers.remove(c.ID)
		return ok
	},
	request: remove("/v1/customers/{id}"),
	execute: deleteByID(tpox.Store.DeleteCustomer),
	Source:  insertCustomer,
}
