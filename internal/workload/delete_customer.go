package workload

import "brokerage/internal/brokerage"

var deleteCustomer = &Transaction{
	Transaction: brokerage.Named("delete_customer"),
	draw:        func(u *user, c *call) bool { return takeOut(u.rand, &u.ownCustomers, &c.id) },
	request:     remove("/v1/customers/{id}"),
	execute:     deleteByID(brokerage.Store.DeleteCustomer),
	Source:      insertCustomer,
}
