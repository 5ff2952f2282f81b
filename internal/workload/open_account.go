package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var openAccount = known(&Transaction{
	Transaction: tpox.Named("open_account"),
	draw: func(u *User, c *Call) bool {
		if !u.newIDs(&u.accountIDs, 1, &c.Account) {
			return false
		}
		drawCustomer(u, c)
		u.compose(c, "account")
		return true
	},
	request: post("/v1/customers/{id}/accounts", "{document}"),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		_, err := s.OpenAccount(ctx, write(), c.ID, c.doc)
		return nil, err
	},
	location: "/{account}",
	keep:     func(u *User, c *Call) { u.ownAccounts = append(u.ownAccounts, opened{c.ID, c.Account, c.isNew}) },
})

// opened is an account that the user has opened.
type opened struct {
	customer, account tpox.ID
	isNew             bool // whether the customer was inserted in the run, and may be deleted
}
