package storetest

var getCustomer = &transaction{
	call: func(e *env) call {
		id := e.customerID(0)
		return reading(watch{customers: ids{id}}, e.s.GetCustomer, id)
	},
	cases: []testCase{
		{name: "GetCustomer/Answer", run: func(e *env) {
			for _, k := range sample(int64(len(e.customers)), 30) {
				e.same("the customer", e.customers[k], e.customer(e.customerID(k)))
			}
		}},
	},
}
