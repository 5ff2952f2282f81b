package storetest

import (
	"context"

	"brokerage/internal/tpox"
)

var deleteCustomer = &transaction{
	call: func(e *env) call {
		id, accounts, _ := e.insertCustomer(2)
		uses := watch{customers: ids{id}, accounts: accounts}
		return call{uses, true, func(ctx context.Context, w tpox.Write) (string, error) {
			return done(e.s.DeleteCustomer(ctx, w, id))
		}}
	},
	cases: []testCase{
		{name: "DeleteCustomer/Deletes", run: func(e *env) {
			id, accounts, doc := e.insertCustomer(3)
			order, o := e.newOrder(accounts[0], "5")
			e.insertOrder(o)
			e.must(e.s.DeleteCustomer(e.Context(), plain(), id))
			e.noCustomer(id)
			for _, a := range accounts {
				e.noAccount(a)
			}
			e.same("the order, which stays", e.tree([]byte(o)).child("Order"), e.order(order))
			e.notFound(e.s.DeleteCustomer(e.Context(), plain(), id), "customer")

			// Both kinds of ids are free again, and orders come back with the account.
			e.insert(doc, true)
			e.belongs(accounts[2], id)
			e.equal("the largest order", order.String(), e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["ORDER_ID"])
		}},
	},
}
