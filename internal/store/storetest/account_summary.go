package storetest

import (
	"fmt"
	"strings"
)

var accountSummary = &transaction{
	call: func(e *env) call {
		id := e.customerID(0)
		return reading(watch{customers: ids{id}}, e.s.AccountSummary, id)
	},
	cases: []testCase{
		{name: "AccountSummary/Answer", run: func(e *env) {
			for _, k := range sample(int64(len(e.customers)), 50) {
				e.same("the summary", refSummary(e.customers[k]), e.got(e.s.AccountSummary(e.Context(), e.customerID(k))))
			}
		}},
		{name: "AccountSummary/Sparse", run: func(e *env) {
			id, _, doc := e.newCustomer(2)
			doc = e.put(e.put(e.put(doc, "Holdings", ""), "OnlineActualBal", "-12.5"), "Addresses", "")
			e.insert(doc, true)
			e.same("the summary", refSummary(e.tree([]byte(doc))), e.got(e.s.AccountSummary(e.Context(), id)))
			e.same("the profile", refProfile(e.tree([]byte(doc))), e.got(e.s.CustomerProfile(e.Context(), id)))
		}},
		// XML Schema allows some attributes on any element, and an answer contains them. A document that is not validated
		// may have anything anywhere: it is returned whole, and answers constructed from it may differ between stores.
		{name: "AccountSummary/Odd", run: func(e *env) {
			const hint = ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="a"`
			first := func(doc, name, attributes string) string { return e.edit(doc, "<"+name+">", "<"+name+attributes+">") }
			for i, change := range []func(doc, name string) string{
				func(doc, _ string) string {
					return first(first(first(doc, "Symbol", hint), "Quantity", hint), "Name", hint)
				},
				func(doc, name string) string { return e.edit(e.edit(doc, name, ""), "</Customer>", name+"</Customer>") },
				func(doc, name string) string { return e.edit(doc, name, name+"<Name>second</Name>") },
				func(doc, name string) string { return e.edit(doc, name, "") },
				func(doc, _ string) string { return first(first(doc, "Position", ` id="1"`), "mValueDate", ` id="2"`) },
				func(doc, _ string) string {
					return first(doc, "Position", "><Name><b>x</b></Name><Quantity></Quantity")
				},
				func(doc, _ string) string { return e.put(e.put(doc, "Currency", ""), "Balance", "") },
				func(doc, _ string) string { return first(doc, "Balance", "></Balance><Balance") },
				func(doc, _ string) string { return first(doc, "Holdings", "></Holdings><Holdings") },
				func(doc, _ string) string { return first(doc, "gValueDate", "></gValueDate><gValueDate") },
				func(doc, _ string) string { return e.put(doc, "Accounts", "") },
				func(doc, _ string) string {
					return first(doc, "Holdings", "><Position><Quantity>5</Quantity></Position><Position/")
				},
				// Elements without a namespace inside elements that an answer copies.
				func(doc, _ string) string {
					doc = first(prefixed(doc, custacc), "odd:FirstName", "><plain>x</plain")
					return first(first(doc, "odd:City", "><plain>x</plain"), "odd:mValueDate", "><plain>x</plain")
				},
			} {
				id, _, doc := e.newCustomer(2)
				start, end := strings.Index(doc, "<Name>"), strings.Index(doc, "</Name>")+len("</Name>")
				admitted := e.admit(change(doc, doc[start:end]))
				e.insert(string(admitted), i == 0)
				e.same(fmt.Sprintf("customer %d", i), e.tree(admitted), e.customer(id))
				summary, profile := e.got(e.s.AccountSummary(e.Context(), id)), e.got(e.s.CustomerProfile(e.Context(), id))
				if i == 0 {
					e.same("the summary", refSummary(e.tree(admitted)), summary)
					e.same("the profile", refProfile(e.tree(admitted)), profile)
				}
			}
		}},
	},
}

func refSummary(c *element) *element {
	list := build(custacc, "Customer_Securities", nil)
	for _, a := range c.child("Accounts").children("Account") {
		held := build(custacc, "Securities", nil)
		for _, p := range a.child("Holdings").children("Position") {
			held.content = append(held.content,
				build(custacc, "Position", nil, p.child("Symbol"), p.child("Name"), p.child("Quantity")))
		}
		list.content = append(list.content, build(custacc, "Account",
			[]string{
				"ACCOUNT_ID", a.attrs["id"], "BALANCE", a.child("Balance", "OnlineActualBal").text(),
				"CURRENCY", a.child("Currency").text(),
			},
			held, build(custacc, "Statement", nil, a.child("gValueDate").children("mValueDate"))))
	}
	return build(custacc, "Customer", []string{"id", c.attrs["id"]}, c.child("Name"), list)
}
