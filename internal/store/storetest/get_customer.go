package storetest

var getCustomer = &transaction{
	cases: []testCase{
		{name: "GetCustomer/Answer", run: func(e *env) {
			for _, k := range sample(int64(len(e.customers)), 30) {
				e.same("the customer", e.customers[k], e.customer(e.customerID(k)))
			}
		}},
		{name: "GetCustomer/Missing", run: func(e *env) {
			_, err := e.s.GetCustomer(e.Context(), e.id())
			e.notFound(err, "customer")
		}},
	},
}
