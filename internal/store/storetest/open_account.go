package storetest

import (
	"strings"

	"brokerage/internal/tpox"
)

var openAccount = &transaction{
	call: func(e *env) call {
		id, accounts, _ := e.insertCustomer(1)
		opened, account := e.newAccount(1)
		return writing(watch{customers: ids{id}, accounts: append(accounts, opened)}, e.s.OpenAccount, id, []byte(account))
	},
	cases: []testCase{
		{name: "OpenAccount/Opens", run: func(e *env) {
			for _, k := range []int64{0, 1, 2} {
				want := e.customers[k].clone()
				id, account := e.newAccount(k)
				got, err := e.s.OpenAccount(e.Context(), plain(), e.customerID(k), []byte(account))
				e.must(err)
				e.equal("the id", id, got)
				want.child("Accounts").add(e.tree([]byte(account)))
				e.same("the customer", want, e.customer(e.customerID(k)))
				e.same("the summary", refSummary(want), e.got(e.s.AccountSummary(e.Context(), e.customerID(k))))
				e.belongs(id, e.customerID(k))
				e.same("the account", e.tree([]byte(account)), e.account(id))
			}
		}},
		{name: "OpenAccount/Exists", run: func(e *env) {
			_, account := e.newAccount(1)
			for _, existing := range []tpox.ID{e.accountID(0), e.accountID(1)} { // the customer's own, and another's
				doc := e.edit(account, ` id="`+e.tree([]byte(account)).attrs["id"]+`"`, ` id="`+existing.String()+`"`)
				e.unchanged(watch{customers: ids{e.customerID(0), e.customerID(1)}, accounts: ids{existing}}, func() {
					e.conflict(errOf(e.s.OpenAccount(e.Context(), plain(), e.customerID(0), []byte(doc))), tpox.AccountExists)
				})
			}
		}},
		{name: "OpenAccount/Invalid", run: func(e *env) {
			id, account := e.newAccount(1)
			e.unchanged(watch{customers: ids{e.customerID(0)}, accounts: ids{id}}, func() {
				for _, broken := range []string{
					e.put(account, "WorkingBalance", "much"),
					e.put(account, "LastUpdate", "yesterday"),
					e.put(account, "gValueDate", ""),
					e.edit(account, "<Category>", "<Unheard></Unheard><Category>"),
					e.edit(account, ` id="`+id.String()+`"`, ""),
					e.edit(account, ` id="`+id.String()+`"`, ` id="0"`),
					strings.Replace(account, custacc, security, 1),
					strings.ReplaceAll(strings.ReplaceAll(account, "<Account ", "<Konto "), "</Account>", "</Konto>"),
				} {
					e.invalid(errOf(e.s.OpenAccount(e.Context(), plain(), e.customerID(0), []byte(broken))))
				}
			})
		}},
		// The whole resulting document is validated, not only the new account.
		{name: "OpenAccount/InvalidCustomer", run: func(e *env) {
			id, _, doc := e.newCustomer(1)
			e.insert(e.put(doc, "Gender", "neither"), false)
			account, a := e.newAccount(1)
			e.unchanged(watch{customers: ids{id}, accounts: ids{account}}, func() {
				e.invalid(errOf(e.s.OpenAccount(e.Context(), plain(), id, []byte(a))))
			})
		}},
		// A customer near or above the limit can be read and reduced, but no account or trade may enlarge it beyond that.
		{name: "OpenAccount/CustomerLimit", run: func(e *env) {
			const limit = 128 << 10
			held, other := e.d.Symbol(0), e.d.Symbol(1)
			for _, size := range []int{limit, limit + 10_000} {
				id, accounts, doc := e.newCustomer(2)
				e.insert(e.filled(e.put(doc, "Holdings", positionXML(held, strings.Repeat("N", 200), "5")), size), true)
				opened, account := e.newAccount(1)
				open := func() error { return errOf(e.s.OpenAccount(e.Context(), plain(), id, []byte(account))) }
				buy := func() error { return errOf(e.buy(plain(), accounts[0], other)) }
				refused := func() {
					e.tooLarge(open())
					e.tooLarge(buy())
				}
				e.unchanged(watch{customers: ids{id}, accounts: append(accounts, opened)}, refused)
				e.trade(id, accounts[0], tpox.Sell, held, "5")
				if size == limit {
					e.trade(id, accounts[0], tpox.Buy, other, "1") // there is room again
				}
				e.must(e.s.CloseAccount(e.Context(), plain(), id, accounts[1]))
				if size > limit {
					refused()
				} else {
					e.must(open())
					e.belongs(opened, id)
				}
			}
		}},
		{name: "OpenAccount/Missing", run: func(e *env) {
			id, account := e.newAccount(1)
			e.notFound(errOf(e.s.OpenAccount(e.Context(), plain(), e.id(), []byte(account))), "customer")
			e.noAccount(id)
		}},
	},
}
