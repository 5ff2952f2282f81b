package storetest

import (
	"fmt"
	"math/big"

	"brokerage/internal/tpox"
)

var customerMaxOrder = &transaction{
	call: func(e *env) call {
		id := e.customerID(0)
		return reading(watch{customers: ids{id}}, e.s.CustomerMaxOrder, id)
	},
	cases: []testCase{
		{name: "CustomerMaxOrder/Answer", run: func(e *env) {
			for _, k := range sample(int64(len(e.customers)), 60) {
				e.same(fmt.Sprintf("the largest order of customer %d", k), refMaxOrder(e.customers[k], e.orders),
					e.got(e.s.CustomerMaxOrder(e.Context(), e.customerID(k))))
			}
		}},
		{name: "CustomerMaxOrder/Ties", run: func(e *env) {
			id, accounts, _ := e.insertCustomer(1)
			// The lowest id wins, whether it was inserted first or last; the one inserted last has fewer digits.
			largest(e, id, accounts, 1, "1.00", "70.5", "70.50", "070.500", "70.49999999999999999999")
			doc := orderXML(9, accounts[0], `<OrdQty Cash="+70.5"></OrdQty>`)
			e.insertOrder(doc)
			e.same("the largest order", build(fixml, "Customer_Max_Order",
				[]string{"CUSTOMERID", id.String(), "ORDER_ID", "9", "CASH", "+70.5"}, e.tree([]byte(doc)).child("Order")),
				e.got(e.s.CustomerMaxOrder(e.Context(), id)))
		}},
		{name: "CustomerMaxOrder/Decimals", run: func(e *env) {
			for i, c := range []struct {
				want int
				cash []string
			}{
				{5, []string{"1", "2", "3", "4", "5", "7", "6", "0.1", "3"}},
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
				// Orders whose cash is not a number.
				{1, []string{"abc", "1.00"}},
				{1, []string{"1e9", "2"}},
				{1, []string{"NaN", "3"}},
				{1, []string{"INF", "4"}},
				{1, []string{"", "-5"}},
				{1, []string{"1,000", "5"}},
				{1, []string{"0x10", "6"}},
				{-1, []string{"", "none", "1e1"}},
				{-1, nil},
			} {
				id, accounts, _ := e.insertCustomer(3 - i%3)
				largest(e, id, accounts, c.want, c.cash...)
			}
		}},
		// The cash of an order is that of its first OrdQty, or none.
		{name: "CustomerMaxOrder/FirstQuantity", run: func(e *env) {
			id, accounts, _ := e.insertCustomer(1)
			var all []*element
			for _, quantities := range []string{
				"",
				`<OrdQty Qty="1"></OrdQty><OrdQty Cash="9999999999"></OrdQty>`,
				`<OrdQty Cash="5"></OrdQty><OrdQty Cash="8888888888"></OrdQty>`,
				`<OrdQty Cash="none"></OrdQty><OrdQty Cash="7777777777"></OrdQty>`,
				`<x:OrdQty xmlns:x="urn:x" Cash="6666666666"></x:OrdQty><x:OrdQty xmlns:x="urn:x"></x:OrdQty>` +
					`<OrdQty Cash="6"></OrdQty>`,
				`<None><OrdQty Cash="5555555555"></OrdQty></None><OrdQty x:Cash="5" xmlns:x="urn:x"></OrdQty>` +
					`<OrdQty Cash="4444444444"></OrdQty>`,
			} {
				doc := string(e.admit(orderXML(e.id(), accounts[0], quantities)))
				e.insertOrder(doc)
				all = append(all, e.tree([]byte(doc)))
				e.same("the largest order", refMaxOrder(e.customer(id), all), e.got(e.s.CustomerMaxOrder(e.Context(), id)))
			}
			e.equal("the cash", "6", e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["CASH"])
		}},
		// Of several orders in a message, only the first is considered.
		{name: "CustomerMaxOrder/FirstOrder", run: func(e *env) {
			id, accounts, _ := e.insertCustomer(1)
			other, others, _ := e.insertCustomer(1)
			var all []*element
			for _, orders := range [][2]string{
				{maxOrder(e, accounts[0], "none"), maxOrder(e, accounts[0], "9")},
				{maxOrder(e, others[0], "7"), maxOrder(e, accounts[0], "99")},
				{maxOrder(e, accounts[0], "5"), maxOrder(e, others[0], "none")},
				{maxOrder(e, accounts[0], "4"), maxOrder(e, accounts[0], "999")},
			} {
				doc := fmt.Sprintf(`<FIXML xmlns=%q>%s%s</FIXML>`, fixml, orders[0], orders[1])
				e.insertOrder(doc)
				all = append(all, e.tree([]byte(doc)))
				for _, customer := range []tpox.ID{id, other} {
					want := refMaxOrder(e.customer(customer), all)
					e.same("the largest order", want, e.got(e.s.CustomerMaxOrder(e.Context(), customer)))
				}
			}
			e.equal("the cash", "5", e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["CASH"])
		}},
	},
}

// maxOrder returns an order with a new id, without the message around it.
func maxOrder(e *env, account tpox.ID, cash string) string {
	return fmt.Sprintf(`<Order ID="%d" Acct="%d"><OrdQty Cash=%q></OrdQty></Order>`, e.id(), account, cash)
}

// largest inserts orders for the accounts in rotation, and requires that cash[want] is the largest; -1: none is.
func largest(e *env, customer tpox.ID, accounts []tpox.ID, want int, cash ...string) {
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

// refMaxOrder returns the answer by looking at every order.
func refMaxOrder(customer *element, all []*element) *element {
	accounts := map[string]bool{}
	for _, a := range customer.child("Accounts").children("Account") {
		accounts[a.attrs["id"]] = true
	}
	var best *element
	var most *big.Rat
	for _, doc := range all {
		o := doc.child("Order")
		cash := decimal(cashOf(o))
		if !accounts[o.attrs["Acct"]] || cash == nil {
			continue
		}
		if best == nil || cash.Cmp(most) > 0 || cash.Cmp(most) == 0 && idOf(o.attrs["ID"]) < idOf(best.attrs["ID"]) {
			best, most = o, cash
		}
	}
	if best == nil {
		return build(fixml, "Customer_Max_Order", []string{"CUSTOMERID", customer.attrs["id"]})
	}
	return build(fixml, "Customer_Max_Order",
		[]string{"CUSTOMERID", customer.attrs["id"], "ORDER_ID", best.attrs["ID"], "CASH", cashOf(best)}, best)
}

func cashOf(order *element) string {
	if q := order.child("OrdQty"); q != nil {
		return q.attrs["Cash"]
	}
	return ""
}
