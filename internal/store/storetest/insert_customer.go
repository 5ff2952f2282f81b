package storetest

import (
	"strings"

	"brokerage/internal/tpox"
)

var insertCustomer = &transaction{
	call: func(e *env) call {
		id, accounts, doc := e.newCustomer(2)
		return writing(watch{customers: ids{id}, accounts: accounts}, e.s.InsertCustomer, []byte(doc), true)
	},
	cases: []testCase{
		{name: "InsertCustomer/ReadBack", run: func(e *env) {
			for n := 1; n <= 3; n++ {
				id, accounts, doc := e.newCustomer(n)
				got, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), true)
				e.must(err)
				e.equal("the id", id, got)
				e.same("the customer", e.tree([]byte(doc)), e.customer(id))
				for _, a := range accounts {
					e.belongs(a, id)
				}
			}
		}},
		{name: "InsertCustomer/Exists", run: func(e *env) {
			_, accounts, doc := e.newCustomer(2)
			doc = e.edit(doc, ` id="`+e.tree([]byte(doc)).attrs["id"]+`"`, ` id="`+e.customerID(1).String()+`"`)
			for _, validate := range []bool{true, false} {
				e.unchanged(watch{customers: ids{e.customerID(1)}, accounts: accounts}, func() {
					e.conflict(errOf(e.s.InsertCustomer(e.Context(), plain(), []byte(doc), validate)), tpox.CustomerExists)
				})
			}
		}},
		{name: "InsertCustomer/AccountExists", run: func(e *env) {
			id, accounts, doc := e.newCustomer(2)
			doc = e.edit(doc, ` id="`+accounts[1].String()+`"`, ` id="`+e.accountID(1).String()+`"`)
			for _, validate := range []bool{true, false} {
				e.unchanged(watch{customers: ids{id, e.customerID(1)}, accounts: append(accounts, e.accountID(1))}, func() {
					e.accountExists(errOf(e.s.InsertCustomer(e.Context(), plain(), []byte(doc), validate)), e.accountID(1))
				})
			}
			_, taken, more := e.newCustomer(4)
			more = e.edit(e.edit(more, taken[1].String(), e.accountID(3).String()), taken[3].String(), e.accountID(1).String())
			e.accountExists(errOf(e.s.InsertCustomer(e.Context(), plain(), []byte(more), true)), e.accountID(3))
		}},
		{name: "InsertCustomer/Invalid", run: func(e *env) {
			id, accounts, doc := e.newCustomer(2)
			for _, broken := range []string{
				e.put(doc, "Gender", "neither"),
				e.put(doc, "DateOfBirth", "1999-02-30"),
				e.put(doc, "OnlineActualBal", "much"),
				e.edit(doc, "<Mnemonic>", "<Unheard></Unheard><Mnemonic>"),
				e.put(doc, "Accounts", ""),
			} {
				e.unchanged(watch{customers: ids{id}, accounts: accounts}, func() {
					e.invalid(errOf(e.s.InsertCustomer(e.Context(), plain(), []byte(broken), true)))
				})
			}
		}},
		{name: "InsertCustomer/BadKeys", run: func(e *env) {
			id, accounts, doc := e.newCustomer(2)
			broken := append(badKeys(e, doc, accounts),
				e.edit(doc, ` id="`+id.String()+`"`, ``), e.edit(doc, ` id="`+id.String()+`"`, ` id="0"`),
				e.edit(doc, ` id="`+id.String()+`"`, ` id="1234567890123456"`))
			for _, b := range broken {
				for _, validate := range []bool{true, false} {
					e.unchanged(watch{customers: ids{id}, accounts: accounts}, func() {
						e.invalid(errOf(e.s.InsertCustomer(e.Context(), plain(), []byte(b), validate)))
					})
				}
			}
		}},
	},
}

// badKeys returns customers without proper keys, which are refused even with validate=no.
func badKeys(e *env, doc string, accounts []tpox.ID) []string {
	return []string{
		strings.Replace(doc, custacc, "http://example.org/other", 1),
		e.edit(doc, ` id="`+accounts[0].String()+`"`, ` id="x"`),
		e.edit(doc, ` id="`+accounts[0].String()+`"`, ` id="01"`),
		e.edit(doc, ` id="`+accounts[0].String()+`"`, ``),
		e.edit(doc, ` id="`+accounts[0].String()+`"`, ` id="`+accounts[1].String()+`"`), // twice
	}
}
