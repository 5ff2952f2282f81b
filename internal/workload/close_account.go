package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var closeAccount = known(&Transaction{
	Transaction: tpox.Named("close_account"),
	draw: func(u *User, c *Call) bool {
		own, ok := takeOut(u.rand, &u.ownAccounts)
		c.ID, c.Account, c.isNew = own.customer, own.account, own.isNew
		return ok
	},
	request: remove("/v1/customers/{id}/accounts/{account}"),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		return nil, s.CloseAccount(ctx, write(), c.ID, c.Account)
	},
	Expected: []tpox.Reason{tpox.LastAccount},
	Source:   openAccount,
})
