package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

var openAccount = &transaction{
	Transaction: brokerage.Named("open_account"),
	draw: func(u *user, c *call) bool {
		account, ok := u.newID(accountIDs)
		if !ok {
			return false
		}
		drawCustomer(u, c)
		c.account = brokerage.ID(account)
		c.doc = u.documents.fill(c.doc[:0], u.template(u.documents.accounts), values{account: account}, u.rand)
		return true
	},
	method: "POST",
	path:   func(dst []byte, c *call) []byte { return append(customerPath(dst, c), "/accounts"...) },
	body:   document,
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		_, err := s.OpenAccount(ctx, write(), c.id, c.doc)
		return nil, err
	},
	created: func(c *call) brokerage.ID { return c.account },
	newIDs:  []*idKind{accountIDs},
	keep:    func(u *user, c *call) { u.ownAccounts = append(u.ownAccounts, opened{c.id, c.account}) },
}

// opened is an account that the user has opened.
type opened struct{ customer, account brokerage.ID }
