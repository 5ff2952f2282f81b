package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var closeAccount = &Transaction{
	Transaction: brokerage.Named("close_account"),
	draw: func(u *user, c *call) bool {
		var own opened
		ok := takeOut(u.rand, &u.ownAccounts, &own)
		c.id, c.account, c.isNew = own.customer, own.account, own.isNew
		return ok
	},
	request: remove("/v1/customers/{id}/accounts/{account}"),
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return nil, s.CloseAccount(ctx, write(), c.id, c.account)
	},
	Expected: []brokerage.Reason{brokerage.LastAccount},
	Source:   openAccount,
}
