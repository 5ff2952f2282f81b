package storetest

import (
	"brokerage/internal/brokerage"
)

var customerOf = &transaction{
	call: func(e *env) call {
		account := e.accountID(0)
		return reading(watch{accounts: ids{account}}, e.s.CustomerOf, account)
	},
	cases: []testCase{
		{name: "CustomerOf/Answer", run: func(e *env) {
			for _, k := range sample(int64(len(e.customers)), 30) {
				for j := range e.d.Accounts(k) {
					e.belongs(e.accountID(k)+brokerage.ID(j), e.customerID(k))
				}
			}
		}},
		{name: "CustomerOf/Missing", run: func(e *env) { e.noAccount(e.id()) }},
	},
}
