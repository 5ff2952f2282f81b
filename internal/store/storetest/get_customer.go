package storetest

import (
	"context"

	"brokerage/internal/brokerage"
)

var getCustomer = &transaction{
	call: func(e *env) call {
		id := e.customerID(0)
		return call{uses: watch{customers: []brokerage.ID{id}}, read: func(ctx context.Context) (string, error) {
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
