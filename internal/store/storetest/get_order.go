package storetest

import (
	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var getOrder = &transaction{
	call: func(e *env) call {
		id := tpox.ID(e.d.ID(dataset.Order, 1))
		return reading(watch{orders: ids{id}}, e.s.GetOrder, id)
	},
	cases: []testCase{
		{name: "GetOrder/Answer", run: func(e *env) {
			for _, i := range sample(int64(len(e.orders)), 50) {
				e.same("the order", refOrder(e.orders[i]), e.order(tpox.ID(e.d.ID(dataset.Order, i))))
			}
		}},
		{name: "GetOrder/Missing", run: func(e *env) { e.noOrder(e.id()) }},
	},
}

func refOrder(doc *element) *element { return doc.child("Order") }
