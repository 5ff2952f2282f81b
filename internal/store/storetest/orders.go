package storetest

import (
	"fmt"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

var orderCases = []testCase{
	{name: "GetOrder/Answer", run: getOrderAnswer},
	{name: "GetOrder/Missing", run: getOrderMissing},
	{name: "CustomerMaxOrder/Answer", run: maxOrderAnswer},
	{name: "CustomerMaxOrder/Ties", run: maxOrderTies},
	{name: "CustomerMaxOrder/Decimals", run: maxOrderDecimals},
	{name: "CustomerMaxOrder/NoCash", run: maxOrderNoCash},
	{name: "CustomerMaxOrder/FirstQuantity", run: maxOrderFirstQuantity},
	{name: "CustomerMaxOrder/NoOrders", run: maxOrderNone},
	{name: "CustomerMaxOrder/AllAccounts", run: maxOrderAllAccounts},
	{name: "CustomerMaxOrder/Missing", run: maxOrderMissing},
	{name: "InsertOrder/ReadBack", run: insertOrderReadBack},
	{name: "InsertOrder/Exists", run: insertOrderExists},
	{name: "InsertOrder/Invalid", run: insertOrderInvalid},
	{name: "UpdateOrderStatus/Changes", run: statusChanges},
	{name: "UpdateOrderStatus/Missing", run: statusMissing},
	{name: "UpdateOrderStatus/Invalid", run: statusInvalid},
	{name: "UpdateOrderStatus/ControlCharacter", run: statusControl},
	{name: "UpdateOrderStatus/InvalidOrder", run: statusInvalidOrder},
	{name: "DeleteOrder/Deletes", run: deleteOrder},
	{name: "DeleteOrder/Missing", run: deleteOrderMissing},
}

func getOrderAnswer(e *env) {
	for _, i := range sample(int64(len(e.orders)), 50) {
		e.same("the order", refOrder(e.orders[i]), e.order(brokerage.ID(e.d.ID(dataset.Order, i))))
	}
}

func getOrderMissing(e *env) {
	_, err := e.s.GetOrder(e.Context(), e.id())
	e.notFound(err, "order")
}

func maxOrderAnswer(e *env) {
	for _, k := range sample(int64(len(e.customers)), 60) {
		e.same(fmt.Sprintf("the largest order of customer %d", k), refMaxOrder(e.customers[k], e.orders),
			e.got(e.s.CustomerMaxOrder(e.Context(), e.customerID(k))))
	}
}

// largest inserts orders for an account, in turn, of which the one at index
// want is the largest; below 0, none is.
func largest(e *env, customer brokerage.ID, accounts []brokerage.ID, want int, cash ...string) {
	e.Helper()
	var all []*element
	for i, c := range cash {
		_, doc := e.newOrder(accounts[i%len(accounts)], c)
		e.insertOrder(doc)
		all = append(all, e.tree([]byte(doc)))
	}
	answer := refMaxOrder(e.customer(customer), all)
	if want >= 0 {
		e.equal("the reference's answer", all[want].child("Order").attrs["ID"], answer.attrs["ORDER_ID"])
	} else {
		e.equal("the reference's answer", "", answer.attrs["ORDER_ID"])
	}
	e.same("the largest order", answer, e.got(e.s.CustomerMaxOrder(e.Context(), customer)))
}

func maxOrderTies(e *env) {
	id, accounts, _ := e.insertCustomer(1)
	// Ids of different length, the lower one first and last.
	largest(e, id, accounts, 1, "1.00", "70.5", "70.50", "070.500", "70.49999999999999999999")
	doc := fmt.Sprintf(`<FIXML xmlns=%q><Order ID="9" Acct="%d"><OrdQty Cash="+70.5"></OrdQty></Order></FIXML>`, fixml, accounts[0])
	e.insertOrder(doc)
	e.same("the largest order", build(fixml, "Customer_Max_Order",
		[]string{"CUSTOMERID", id.String(), "ORDER_ID", "9", "CASH", "+70.5"}, e.tree([]byte(doc)).child("Order")),
		e.got(e.s.CustomerMaxOrder(e.Context(), id)))
}

func maxOrderDecimals(e *env) {
	for _, c := range []struct {
		want int
		cash []string
	}{
		{1, []string{"9.99", "10.00"}},
		{0, []string{"100000.00", "99999.99", "9"}},
		{1, []string{"0.5", "0.51", "0.505"}},
		{1, []string{"-2", "-1", "-1.5", "-10"}},
		{2, []string{"-1", "0", "0.001"}},
		{1, []string{"12345678901234567890.1", "12345678901234567890.2"}},
		{0, []string{"0.00000000000000000002", "0.00000000000000000001"}},
		{1, []string{"-0.51", "-0.5", "-0.50001"}},
		{0, []string{"00000000000000000000000000000012", "2"}},
		{1, []string{"-0.1", "0.", "-.01"}},
	} {
		id, accounts, _ := e.insertCustomer(1)
		largest(e, id, accounts, c.want, c.cash...)
	}
}

func maxOrderNoCash(e *env) {
	for _, cash := range [][]string{{"abc", "1.00"}, {"1e9", "2"}, {"NaN", "3"}, {"INF", "4"}, {"", "-5"}, {"1,000", "5"}, {"0x10", "6"}} {
		id, accounts, _ := e.insertCustomer(1)
		largest(e, id, accounts, 1, cash...)
	}
	id, accounts, _ := e.insertCustomer(1)
	largest(e, id, accounts, -1, "", "none", "1e1")
	e.insertOrder(fmt.Sprintf(`<FIXML xmlns=%q><Order ID="%d" Acct="%d"></Order></FIXML>`, fixml, e.id(), accounts[0]))
	e.same("the largest order", build(fixml, "Customer_Max_Order", []string{"CUSTOMERID", id.String()}),
		e.got(e.s.CustomerMaxOrder(e.Context(), id)))
}

// The cash of an order is that of its first OrdQty, or none.
func maxOrderFirstQuantity(e *env) {
	id, accounts, _ := e.insertCustomer(1)
	var all []*element
	for _, quantities := range []string{
		`<OrdQty Qty="1"></OrdQty><OrdQty Cash="9999999999"></OrdQty>`,
		`<OrdQty Cash="5"></OrdQty><OrdQty Cash="8888888888"></OrdQty>`,
		`<OrdQty Cash="none"></OrdQty><OrdQty Cash="7777777777"></OrdQty>`,
		`<x:OrdQty xmlns:x="urn:x" Cash="6666666666"></x:OrdQty><x:OrdQty xmlns:x="urn:x"></x:OrdQty><OrdQty Cash="6"></OrdQty>`,
		`<None><OrdQty Cash="5555555555"></OrdQty></None><OrdQty x:Cash="5" xmlns:x="urn:x"></OrdQty><OrdQty Cash="4444444444"></OrdQty>`,
	} {
		doc := string(e.admit(fmt.Sprintf(`<FIXML xmlns=%q><Order ID="%d" Acct="%d">%s</Order></FIXML>`, fixml, e.id(), accounts[0], quantities)))
		e.insertOrder(doc)
		all = append(all, e.tree([]byte(doc)))
		e.same("the largest order", refMaxOrder(e.customer(id), all), e.got(e.s.CustomerMaxOrder(e.Context(), id)))
	}
	e.equal("the cash", "6", e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["CASH"])
}

func maxOrderNone(e *env) {
	id, accounts, _ := e.insertCustomer(2)
	none := build(fixml, "Customer_Max_Order", []string{"CUSTOMERID", id.String()})
	e.same("the answer", none, e.got(e.s.CustomerMaxOrder(e.Context(), id)))
	order, doc := e.newOrder(accounts[1], "5.00")
	e.insertOrder(doc)
	e.equal("the largest", order.String(), e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["ORDER_ID"])
	e.must(e.s.DeleteOrder(e.Context(), plain(), order))
	e.same("the answer after the delete", none, e.got(e.s.CustomerMaxOrder(e.Context(), id)))
}

func maxOrderAllAccounts(e *env) {
	id, accounts, _ := e.insertCustomer(3)
	largest(e, id, accounts, 5, "1", "2", "3", "4", "5", "7", "6", "0.1", "3")
	// An order for an account that is opened later counts then.
	later := e.id()
	order, doc := e.newOrder(later, "1000")
	e.insertOrder(doc)
	e.equal("cash before", "7", e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["CASH"])
	_, err := e.s.OpenAccount(e.Context(), plain(), id, e.d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: int64(later)}))
	e.must(err)
	e.equal("the largest then", order.String(), e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["ORDER_ID"])
	e.must(e.s.CloseAccount(e.Context(), plain(), id, later))
	e.equal("cash after", "7", e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["CASH"])
}

func maxOrderMissing(e *env) {
	_, err := e.s.CustomerMaxOrder(e.Context(), e.id())
	e.notFound(err, "customer")
}

func insertOrderReadBack(e *env) {
	for i := range int64(10) {
		id := e.id()
		doc := e.d.AppendNewOrder(nil, 1_000_000+i, dataset.NewOrder{ID: int64(id)})
		got, err := e.s.InsertOrder(e.Context(), plain(), doc)
		e.must(err)
		e.equal("the id", id, got)
		e.same("the order", e.tree(doc).child("Order"), e.order(id))
	}
	for _, id := range []brokerage.ID{1, 999_999_999_999_999} {
		e.insertOrder(fmt.Sprintf(`<FIXML xmlns=%q><Order ID="%d" Acct="%d"></Order></FIXML>`, fixml, id, id))
		e.equal("the id", id.String(), e.order(id).attrs["ID"])
	}
}

func insertOrderExists(e *env) {
	id := brokerage.ID(e.d.ID(dataset.Order, 5))
	e.unchanged(watch{orders: []brokerage.ID{id}, customers: []brokerage.ID{e.customerID(0)}}, func() {
		for range 2 {
			doc := fmt.Sprintf(`<FIXML xmlns=%q><Order ID="%d" Acct="%d"><OrdQty Cash="99999999999"></OrdQty></Order></FIXML>`, fixml, id, e.accountID(0))
			_, err := e.s.InsertOrder(e.Context(), plain(), []byte(doc))
			e.conflict(err, brokerage.OrderExists)
		}
	})
}

func insertOrderInvalid(e *env) {
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
		_, err := e.s.InsertOrder(e.Context(), plain(), []byte(doc))
		e.invalid(err)
	}
	_, err := e.s.GetOrder(e.Context(), 77)
	e.notFound(err, "order")
}

func statusChanges(e *env) {
	i := int64(7)
	id := brokerage.ID(e.d.ID(dataset.Order, i))
	for _, stat := range []string{"4", "8", "4", "4", "A", "0"} {
		want := refOrder(e.orders[i]).clone()
		want.attrs["Stat"] = stat
		e.same("the answer", build(fixml, "OrderStatus", []string{"Stat", stat}),
			e.got(e.s.UpdateOrderStatus(e.Context(), plain(), id, stat)))
		e.same("the order", want, e.order(id))
	}
}

func statusMissing(e *env) {
	_, err := e.s.UpdateOrderStatus(e.Context(), plain(), e.id(), "4")
	e.notFound(err, "order")
}

func statusInvalid(e *env) {
	id := brokerage.ID(e.d.ID(dataset.Order, 3))
	for _, stat := range []string{"", "Z9", "filled", "44", `"<&`, "é"} {
		e.unchanged(watch{orders: []brokerage.ID{id}}, func() {
			_, err := e.s.UpdateOrderStatus(e.Context(), plain(), id, stat)
			e.invalid(err)
		})
	}
}

// XML cannot hold these at all, so no schema comes to judge them.
func statusControl(e *env) {
	id := brokerage.ID(e.d.ID(dataset.Order, 3))
	for _, stat := range []string{"\x00", "4\x01", "\xff"} {
		e.unchanged(watch{orders: []brokerage.ID{id}}, func() {
			_, err := e.s.UpdateOrderStatus(e.Context(), plain(), id, stat)
			e.invalid(err)
		})
	}
}

func statusInvalidOrder(e *env) {
	id := e.id()
	e.insertOrder(fmt.Sprintf(`<FIXML xmlns=%q><Order ID="%d" Acct="1" Nonsense="x"><Strange></Strange></Order></FIXML>`, fixml, id))
	e.unchanged(watch{orders: []brokerage.ID{id}}, func() {
		_, err := e.s.UpdateOrderStatus(e.Context(), plain(), id, "4")
		e.invalid(err)
	})
}

func deleteOrder(e *env) {
	for _, i := range sample(int64(len(e.orders)), 5) {
		id := brokerage.ID(e.d.ID(dataset.Order, i))
		e.must(e.s.DeleteOrder(e.Context(), plain(), id))
		_, err := e.s.GetOrder(e.Context(), id)
		e.notFound(err, "order")
		e.notFound(e.s.DeleteOrder(e.Context(), plain(), id), "order")
		// The id is free again.
		e.insertOrder(string(e.d.Append(nil, dataset.Order, i)))
		e.same("the order", refOrder(e.orders[i]), e.order(id))
	}
}

func deleteOrderMissing(e *env) {
	e.notFound(e.s.DeleteOrder(e.Context(), plain(), e.id()), "order")
}
