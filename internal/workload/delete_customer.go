package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var deleteCustomer = &transaction{
	Transaction: brokerage.Named("delete_customer"),
	draw:        func(u *user, c *call) bool { return takeOut(u.rand, &u.ownCustomers, &c.id) },
	method:      "DELETE",
	path:        customerPath,
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return nil, s.DeleteCustomer(ctx, write(), c.id)
	},
	source: insertCustomer,
}
