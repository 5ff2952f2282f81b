package workload

import (
	"context"

	"brokerage/internal/tpox"
)

// InsertOrder is also run before the load, for the orders that a user deletes later.
var InsertOrder = known(&Transaction{
	Transaction: tpox.Named("insert_order"),
	draw: func(u *User, c *Call) bool {
		if !u.newIDs(&u.orderIDs, 1, &c.ID) {
			return false
		}
		c.Account, c.Symbol = u.accountOf(u.pickCustomer()), u.symbol()
		u.compose(c, "order")
		return true
	},
	request: post("/v1/orders", "{document}"),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		_, err := s.InsertOrder(ctx, write(), c.doc)
		return nil, err
	},
	location: "/{id}",
	keep: func(u *User, c *Call) {
		u.ownOrders = append(u.ownOrders, c.ID)
		u.newOrders.add(c.ID)
	},
})
