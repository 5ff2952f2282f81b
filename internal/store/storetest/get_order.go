package storetest

import (
	"fmt"

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
		// In a message with several orders the first counts, and its id finds the message. The other ids find nothing.
		{name: "GetOrder/SecondOrder", run: func(e *env) {
			id, doc := e.newOrder(e.accountID(0), "5")
			second := e.id()
			doc = e.edit(doc, "</FIXML>", fmt.Sprintf(`<Order ID="%d" Acct="%d"></Order></FIXML>`, second, e.accountID(0)))
			e.insertOrder(doc)
			first := e.tree([]byte(doc)).child("Order")
			e.same("the first order", first, e.order(id))
			e.noOrder(second)
			e.notFound(errOf(e.s.UpdateOrderStatus(e.Context(), plain(), second, "4")), "order")
			e.notFound(e.s.DeleteOrder(e.Context(), plain(), second), "order")
			e.same("the first order", first, e.order(id))
			e.must(e.s.DeleteOrder(e.Context(), plain(), id))
			e.noOrder(id)
		}},
	},
}

func refOrder(doc *element) *element { return doc.child("Order") }
