package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var closeAccount = &Transaction{
	Transaction: tpox.Named("close_account"),
	draw: func(u *user, c *call) bool {
		var own opened
		ok := takeOut(u.rand, &u.ownAccounts, &own)
		c.id, c.account, c.isNew = own.customer, own.account, own.isNew
		return ok
	},
	request: remove("/v1/customers/{id}/accounts/{account}"),
	execute: func(ctx context.Context, s tpox.Store, c *call) ([]byte, error) {
		return nil, s.CloseAccount(ctx, write(), c.id, c.account)
	},
	Expected: []tpox.Reason{tpox.LastAccount},
	Source:   openAccount,
}
