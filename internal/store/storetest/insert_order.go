package storetest

import (
	"context"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var insertOrder = &transaction{
	call: func(e *env) call {
		id := e.id()
		doc := e.d.AppendNewOrder(nil, 1_000_000, dataset.NewOrder{ID: int64(id)})
		uses := watch{orders: ids{id}}
		return call{uses, true, func(ctx context.Context, w tpox.Write) (string, error) {
			return answer(e.s.InsertOrder(ctx, w, doc))
		}}
	},
	cases: []testCase{
		{name: "InsertOrder/ReadBack", run: func(e *env) {
			for i := range int64(10) {
				id := e.id()
				doc := e.d.AppendNewOrder(nil, 1_000_000+i, dataset.NewOrder{ID: int64(id)})
				got, err := e.s.InsertOrder(e.Context(), plain(), doc)
				e.must(err)
				e.equal("the id", id, got)
				e.same("the order", e.tree(doc).child("Order"), e.order(id))
			}
			for _, id := range []tpox.ID{1, 999_999_999_999_999} {
				e.insertOrder(orderXML(id, id, ""))
				e.equal("the id", id.String(), e.order(id).attrs["ID"])
			}
		}},
		{name: "InsertOrder/Exists", run: func(e *env) {
			id := tpox.ID(e.d.ID(dataset.Order, 5))
			e.unchanged(watch{orders: ids{id}, customers: ids{e.customerID(0)}}, func() {
				for range 2 {
					doc := orderXML(id, e.accountID(0), `<OrdQty Cash="99999999999"></OrdQty>`)
					e.conflict(errOf(e.s.InsertOrder(e.Context(), plain(), []byte(doc))), tpox.OrderExists)
				}
			})
		}},
		{name: "InsertOrder/Invalid", run: func(e *env) {
			for _, doc := range []string{
				`<FIXML><Order ID="77" Acct="1"></Order></FIXML>`,
				`<FIXML xmlns="` + fixml + `"></FIXML>`,
				`<Order xmlns="` + fixml + `" ID="77" Acct="1"></Order>`,
				`<FIXML xmlns="` + fixml + `"><Order Acct="1"></Order></FIXML>`,
				`<FIXML xmlns="` + fixml + `"><Order ID="77"></Order></FIXML>`,
				`<FIXML xmlns="` + fixml + `"><Order ID="77" Acct="x"></Order></FIXML>`,
				`<FIXML xmlns="` + fixml + `"><Order ID="077" Acct="1"></Order></FIXML>`,
				`<FIXML xmlns="` + fixml + `"><Order ID="77" Acct="0"></Order></FIXML>`,
				`<FIXML xmlns="` + fixml + `"><Order ID="7777777777777777" Acct="1"></Order></FIXML>`,
				`<FIXML xmlns="` + fixml + `"><Order ID="-77" Acct="1"></Order></FIXML>`,
			} {
				e.invalid(errOf(e.s.InsertOrder(e.Context(), plain(), []byte(doc))))
			}
			e.noOrder(77)
		}},
	},
}
