package storetest

import (
	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var updateOrderStatus = &transaction{
	call: func(e *env) call {
		id := tpox.ID(e.d.ID(dataset.Order, 1))
		return writing(watch{orders: ids{id}}, e.s.UpdateOrderStatus, id, "4")
	},
	cases: []testCase{
		{name: "UpdateOrderStatus/Changes", run: func(e *env) {
			i := int64(7)
			id := tpox.ID(e.d.ID(dataset.Order, i))
			for _, stat := range []string{"4", "8", "4", "4", "A", "0"} {
				want := refOrder(e.orders[i]).clone()
				want.attrs["Stat"] = stat
				e.same("the answer", build(fixml, "OrderStatus", []string{"Stat", stat}),
					e.got(e.s.UpdateOrderStatus(e.Context(), plain(), id, stat)))
				e.same("the order", want, e.order(id))
			}
		}},
		{name: "UpdateOrderStatus/Invalid", run: func(e *env) {
			id := tpox.ID(e.d.ID(dataset.Order, 3))
			// XML cannot hold the last three, so the schema never sees them.
			for _, stat := range []string{"", "Z9", "filled", "44", `"<&`, "é", "\x00", "4\x01", "\xff"} {
				e.unchanged(watch{orders: ids{id}}, func() {
					e.invalid(errOf(e.s.UpdateOrderStatus(e.Context(), plain(), id, stat)))
				})
			}
		}},
		{name: "UpdateOrderStatus/InvalidOrder", run: func(e *env) {
			id := e.id()
			e.insertOrder(e.edit(orderXML(id, 1, "<Strange></Strange>"), "><Str", ` Nonsense="x"><Str`))
			e.unchanged(watch{orders: ids{id}}, func() {
				e.invalid(errOf(e.s.UpdateOrderStatus(e.Context(), plain(), id, "4")))
			})
		}},
	},
}
