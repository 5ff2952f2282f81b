package storetest

import (
	"context"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var deleteOrder = &transaction{
	call: func(e *env) call {
		id, doc := e.newOrder(e.accountID(0), "5")
		e.insertOrder(doc)
		uses := watch{orders: ids{id}}
		return call{uses, true, func(ctx context.Context, w tpox.Write) (string, error) {
			return done(e.s.DeleteOrder(ctx, w, id))
		}}
	},
	cases: []testCase{
		{name: "DeleteOrder/Deletes", run: func(e *env) {
			for _, i := range sample(int64(len(e.orders)), 5) {
				id := tpox.ID(e.d.ID(dataset.Order, i))
				e.must(e.s.DeleteOrder(e.Context(), plain(), id))
				e.noOrder(id)
				e.notFound(e.s.DeleteOrder(e.Context(), plain(), id), "order")
				// The id is free again.
				e.insertOrder(string(e.d.Append(nil, dataset.Order, i)))
				e.same("the order", refOrder(e.orders[i]), e.order(id))
			}
		}},
	},
}
