package storetest

var deleteCustomer = &transaction{
	cases: []testCase{
		{name: "DeleteCustomer/Deletes", run: func(e *env) {
			id, accounts, doc := e.insertCustomer(3)
			order, o := e.newOrder(accounts[0], "5")
			e.insertOrder(o)
			e.must(e.s.DeleteCustomer(e.Context(), plain(), id))
			_, err := e.s.GetCustomer(e.Context(), id)
			e.notFound(err, "customer")
			_, err = e.s.CustomerMaxOrder(e.Context(), id)
			e.notFound(err, "customer")
			for _, a := range accounts {
				e.noAccount(a)
			}
			e.same("the order, which stays", e.tree([]byte(o)).child("Order"), e.order(order))
			e.notFound(e.s.DeleteCustomer(e.Context(), plain(), id), "customer")

			// Both kinds of ids are free again, and orders come back with the account.
			_, err = e.s.InsertCustomer(e.Context(), plain(), []byte(doc), true)
			e.must(err)
			e.belongs(accounts[2], id)
			e.equal("the largest order", order.String(), e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["ORDER_ID"])
		}},
		{name: "DeleteCustomer/Missing", run: func(e *env) {
			e.notFound(e.s.DeleteCustomer(e.Context(), plain(), e.id()), "customer")
		}},
	},
}
