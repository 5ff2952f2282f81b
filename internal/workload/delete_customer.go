package workload

import "brokerage/internal/tpox"

var deleteCustomer = known(&Transaction{
	Transaction: tpox.Named("delete_customer"),
	draw: func(u *User, c *Call) bool {
		id, ok := takeOut(u.rand, &u.ownCustomers)
		u.newCustomers.remove(id)
		c.ID = id
		return ok
	},
	request: remove("/v1/customers/{id}"),
	execute: deleteByID(tpox.Store.DeleteCustomer),
	Source:  InsertCustomer,
})
