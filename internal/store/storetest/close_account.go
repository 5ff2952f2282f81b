package storetest

import (
	"context"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var closeAccount = &transaction{
	call: func(e *env) call {
		id, accounts, _ := e.insertCustomer(2)
		uses := watch{customers: ids{id}, accounts: accounts}
		return call{uses, true, func(ctx context.Context, w tpox.Write) (string, error) {
			return done(e.s.CloseAccount(ctx, w, id, accounts[0]))
		}}
	},
	cases: []testCase{
		{name: "CloseAccount/Closes", run: func(e *env) {
			for _, j := range []int{0, 1, 2} {
				id, accounts, doc := e.insertCustomer(3)
				want := e.tree([]byte(doc))
				want.child("Accounts").remove(refAccount(want, accounts[j]))
				e.account(accounts[(j+1)%3]) // so that it may be in a cache
				e.must(e.s.CloseAccount(e.Context(), plain(), id, accounts[j]))
				e.same("the customer", want, e.customer(id))
				e.noAccount(accounts[j])
				e.belongs(accounts[(j+1)%3], id)
				e.same("another account", refAccount(want, accounts[(j+1)%3]), e.account(accounts[(j+1)%3]))
				e.notFound(e.s.CloseAccount(e.Context(), plain(), id, accounts[j]), "account")
				// The id is free again.
				account := e.d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: int64(accounts[j])})
				e.must(errOf(e.s.OpenAccount(e.Context(), plain(), e.customerID(0), account)))
				e.belongs(accounts[j], e.customerID(0))
			}
		}},
		{name: "CloseAccount/Refused", run: func(e *env) {
			id, accounts, _ := e.insertCustomer(2)
			e.must(e.s.CloseAccount(e.Context(), plain(), id, accounts[0]))
			e.unchanged(watch{customers: ids{id, e.customerID(1)}, accounts: append(accounts, e.accountID(1))}, func() {
				e.conflict(e.s.CloseAccount(e.Context(), plain(), id, accounts[1]), tpox.LastAccount)
				e.notFound(e.s.CloseAccount(e.Context(), plain(), id, e.id()), "account")
				e.notFound(e.s.CloseAccount(e.Context(), plain(), id, e.accountID(1)), "account") // another customer's
				e.notFound(e.s.CloseAccount(e.Context(), plain(), e.id(), accounts[1]), "customer")
			})
		}},
	},
}
