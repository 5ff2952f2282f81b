package storetest

import (
	"context"

	"brokerage/internal/tpox"
)

var getAccount = &transaction{
	call: func(e *env) call {
		id := e.accountID(0)
		return call{watch{accounts: ids{id}}, false, func(ctx context.Context, _ tpox.Write) (string, error) {
			account, err := e.s.GetAccount(ctx, id)
			return answer(account.Document, err)
		}}
	},
	cases: []testCase{
		{name: "GetAccount/Answer", run: func(e *env) {
			for _, k := range sample(int64(len(e.customers)), 30) {
				for j := range e.d.Accounts(k) {
					id := e.accountID(k) + tpox.ID(j)
					e.belongs(id, e.customerID(k))
					e.same("the account", refAccount(e.customers[k], id), e.account(id))
				}
			}
		}},
		// An account is complete in itself, wherever its customer declares the namespaces.
		{name: "GetAccount/Odd", run: func(e *env) {
			for _, form := range []func(string) string{
				func(s string) string { return prefixed(s, custacc) },
				func(s string) string { return e.put(s, "AccountTitle", strange+`<x xmlns="">y</x>`) },
			} {
				owner, accounts, doc := e.newCustomer(2)
				admitted := e.admit(form(doc))
				e.insert(string(admitted), false)
				e.belongs(accounts[1], owner)
				e.same("the account", refAccount(e.tree(admitted), accounts[1]), e.account(accounts[1]))
			}
		}},
	},
}
