package storetest

import "context"

var getCustomer = &transaction{
	call: func(e *env) call {
		id := e.customerID(0)
		uses := watch{customers: ids{id}}
		return call{uses: uses, read: func(ctx context.Context) (string, error) {
			return answer(e.s.GetCustomer(ctx, id))
		}}
	},
	cases: []testCase{
		{name: "GetCustomer/Answer", run: func(e *env) {
			for _, k := range sample(int64(len(e.customers)), 30) {
				e.same("the customer", e.customers[k], e.customer(e.customerID(k)))
			}
		}},
		{name: "GetCustomer/Missing", run: func(e *env) {
			e.noCustomer(e.id())
		}},
	},
}
