package storetest

import (
	"fmt"
	"strings"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

var customerCases = []testCase{
	{name: "GetCustomer/Answer", run: getCustomerAnswer},
	{name: "GetCustomer/Missing", run: getCustomerMissing},
	{name: "CustomerProfile/Answer", run: profileAnswer},
	{name: "CustomerProfile/Sparse", run: profileSparse},
	{name: "CustomerProfile/Missing", run: profileMissing},
	{name: "AccountSummary/Answer", run: summaryAnswer},
	{name: "AccountSummary/NoPositions", run: summaryNoPositions},
	{name: "AccountSummary/Odd", run: summaryOdd},
	{name: "AccountSummary/Missing", run: summaryMissing},
	{name: "CustomerOf/Answer", run: customerOfAnswer},
	{name: "CustomerOf/Missing", run: customerOfMissing},
	{name: "InsertCustomer/ReadBack", run: insertCustomerReadBack},
	{name: "InsertCustomer/Exists", run: insertCustomerExists},
	{name: "InsertCustomer/AccountExists", run: insertCustomerAccountExists},
	{name: "InsertCustomer/Invalid", run: insertCustomerInvalid},
	{name: "InsertCustomer/NotValidated", run: insertCustomerNotValidated},
	{name: "InsertCustomer/BadKeys", run: insertCustomerBadKeys},
	{name: "ReplaceCustomer/Replaces", run: replaceCustomer},
	{name: "ReplaceCustomer/MovesAccounts", run: replaceCustomerAccounts},
	{name: "ReplaceCustomer/AccountExists", run: replaceCustomerAccountExists},
	{name: "ReplaceCustomer/Invalid", run: replaceCustomerInvalid},
	{name: "ReplaceCustomer/NotValidated", run: replaceCustomerNotValidated},
	{name: "ReplaceCustomer/WrongKey", run: replaceCustomerWrongKey},
	{name: "ReplaceCustomer/Missing", run: replaceCustomerMissing},
	{name: "DeleteCustomer/Deletes", run: deleteCustomer},
	{name: "DeleteCustomer/Missing", run: deleteCustomerMissing},
	{name: "OpenAccount/Opens", run: openAccount},
	{name: "OpenAccount/Exists", run: openAccountExists},
	{name: "OpenAccount/Invalid", run: openAccountInvalid},
	{name: "OpenAccount/InvalidCustomer", run: openAccountInvalidCustomer},
	{name: "OpenAccount/Missing", run: openAccountMissing},
	{name: "CloseAccount/Closes", run: closeAccount},
	{name: "CloseAccount/Last", run: closeAccountLast},
	{name: "CloseAccount/Missing", run: closeAccountMissing},
}

func getCustomerAnswer(e *env) {
	for _, k := range sample(int64(len(e.customers)), 30) {
		e.same("the customer", e.customers[k], e.customer(e.customerID(k)))
	}
}

func getCustomerMissing(e *env) {
	_, err := e.s.GetCustomer(e.Context(), e.id())
	e.notFound(err, "customer")
}

func profileAnswer(e *env) {
	for _, k := range sample(int64(len(e.customers)), 50) {
		e.same("the profile", refProfile(e.customers[k]), e.got(e.s.CustomerProfile(e.Context(), e.customerID(k))))
	}
}

func profileSparse(e *env) {
	id, _, doc := e.newCustomer(1)
	doc = e.put(doc, "Addresses", "")
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), true)
	e.must(err)
	e.same("the profile", refProfile(e.tree([]byte(doc))), e.got(e.s.CustomerProfile(e.Context(), id)))
}

func profileMissing(e *env) {
	_, err := e.s.CustomerProfile(e.Context(), e.id())
	e.notFound(err, "customer")
}

func summaryAnswer(e *env) {
	for _, k := range sample(int64(len(e.customers)), 50) {
		e.same("the summary", refSummary(e.customers[k]), e.got(e.s.AccountSummary(e.Context(), e.customerID(k))))
	}
}

func summaryNoPositions(e *env) {
	id, _, doc := e.newCustomer(2)
	doc = e.put(e.put(doc, "Holdings", ""), "OnlineActualBal", "-12.5")
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), true)
	e.must(err)
	e.same("the summary", refSummary(e.tree([]byte(doc))), e.got(e.s.AccountSummary(e.Context(), id)))
}

func summaryMissing(e *env) {
	_, err := e.s.AccountSummary(e.Context(), e.id())
	e.notFound(err, "customer")
}

func (e *env) belongs(account, customer brokerage.ID) {
	e.Helper()
	got, err := e.s.CustomerOf(e.Context(), account)
	e.must(err)
	e.equal(fmt.Sprintf("the customer of account %d", account), customer, got)
}

func (e *env) noAccount(account brokerage.ID) {
	e.Helper()
	_, err := e.s.CustomerOf(e.Context(), account)
	e.notFound(err, "account")
	_, err = e.s.Trade(e.Context(), plain(), account, brokerage.Trade{Side: brokerage.Buy, Symbol: e.held(0), Quantity: "1", Now: now})
	e.notFound(err, "account")
}

func customerOfAnswer(e *env) {
	for _, k := range sample(int64(len(e.customers)), 30) {
		for j := range e.d.Accounts(k) {
			e.belongs(e.accountID(k)+brokerage.ID(j), e.customerID(k))
		}
	}
}

func customerOfMissing(e *env) { e.noAccount(e.id()) }

func insertCustomerReadBack(e *env) {
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
}

func insertCustomerExists(e *env) {
	_, accounts, doc := e.newCustomer(2)
	doc = e.edit(doc, ` id="`+e.tree([]byte(doc)).attrs["id"]+`"`, ` id="`+e.customerID(1).String()+`"`)
	for _, validate := range []bool{true, false} {
		e.unchanged(watch{customers: []brokerage.ID{e.customerID(1)}, accounts: accounts}, func() {
			_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), validate)
			e.conflict(err, brokerage.CustomerExists)
		})
	}
}

// XML Schema takes some attributes on any element, and what is not validated may
// have anything anywhere.
func summaryOdd(e *env) {
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
	} {
		id, _, doc := e.newCustomer(2)
		start, end := strings.Index(doc, "<Name>"), strings.Index(doc, "</Name>")+len("</Name>")
		admitted := e.admit(change(doc, doc[start:end]))
		_, err := e.s.InsertCustomer(e.Context(), plain(), admitted, i == 0)
		e.must(err)
		e.same(fmt.Sprintf("summary %d", i), refSummary(e.tree(admitted)), e.got(e.s.AccountSummary(e.Context(), id)))
		e.same(fmt.Sprintf("profile %d", i), refProfile(e.tree(admitted)), e.got(e.s.CustomerProfile(e.Context(), id)))
	}
}

// accountExists wants to be told of the first account that is another customer's.
func (e *env) accountExists(err error, account brokerage.ID) {
	e.Helper()
	e.conflict(err, brokerage.AccountExists)
	e.equal("the detail", fmt.Sprintf("account %d exists already", account), err.Error())
}

func insertCustomerAccountExists(e *env) {
	id, accounts, doc := e.newCustomer(2)
	doc = e.edit(doc, ` id="`+accounts[1].String()+`"`, ` id="`+e.accountID(1).String()+`"`)
	for _, validate := range []bool{true, false} {
		e.unchanged(watch{customers: []brokerage.ID{id, e.customerID(1)}, accounts: append(accounts, e.accountID(1))}, func() {
			_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), validate)
			e.accountExists(err, e.accountID(1))
		})
	}
	_, taken, more := e.newCustomer(4)
	more = e.edit(e.edit(more, taken[1].String(), e.accountID(3).String()), taken[3].String(), e.accountID(1).String())
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(more), true)
	e.accountExists(err, e.accountID(3))
}

func insertCustomerInvalid(e *env) {
	id, accounts, doc := e.newCustomer(2)
	for _, broken := range []string{
		e.put(doc, "Gender", "neither"),
		e.put(doc, "DateOfBirth", "1999-02-30"),
		e.put(doc, "OnlineActualBal", "much"),
		e.edit(doc, "<Mnemonic>", "<Unheard></Unheard><Mnemonic>"),
		e.put(doc, "Accounts", ""),
	} {
		e.unchanged(watch{customers: []brokerage.ID{id}, accounts: accounts}, func() {
			_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(broken), true)
			e.invalid(err)
		})
	}
}

func insertCustomerNotValidated(e *env) {
	id, accounts, doc := e.newCustomer(1)
	doc = e.put(doc, "Gender", "neither")
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), false)
	e.must(err)
	e.same("the customer", e.tree([]byte(doc)), e.customer(id))
	e.belongs(accounts[0], id)
}

// badKeys are customers whose keys nothing can be found by; validate=no does
// not let them in.
func badKeys(e *env, doc string, accounts []brokerage.ID) []string {
	return []string{
		strings.Replace(doc, custacc, "http://example.org/other", 1),
		e.edit(doc, ` id="`+accounts[0].String()+`"`, ` id="x"`),
		e.edit(doc, ` id="`+accounts[0].String()+`"`, ` id="01"`),
		e.edit(doc, ` id="`+accounts[0].String()+`"`, ``),
		e.edit(doc, ` id="`+accounts[0].String()+`"`, ` id="`+accounts[1].String()+`"`), // twice
	}
}

func insertCustomerBadKeys(e *env) {
	id, accounts, doc := e.newCustomer(2)
	broken := append(badKeys(e, doc, accounts),
		e.edit(doc, ` id="`+id.String()+`"`, ``), e.edit(doc, ` id="`+id.String()+`"`, ` id="0"`),
		e.edit(doc, ` id="`+id.String()+`"`, ` id="1234567890123456"`))
	for _, b := range broken {
		for _, validate := range []bool{true, false} {
			e.unchanged(watch{customers: []brokerage.ID{id}, accounts: accounts}, func() {
				_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(b), validate)
				e.invalid(err)
			})
		}
	}
}

func replaceCustomer(e *env) {
	id := e.customerID(2)
	doc := e.put(e.generated(2), "LastName", "Zoë &amp; Söhne")
	e.must(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), true, nil))
	want := e.tree([]byte(doc))
	e.same("the customer", want, e.customer(id))
	e.same("the profile", refProfile(want), e.got(e.s.CustomerProfile(e.Context(), id)))
	e.same("the neighbour", e.customers[3], e.customer(e.customerID(3)))
}

func replaceCustomerAccounts(e *env) {
	id, accounts, doc := e.insertCustomer(2)
	opened := e.id()
	doc = e.edit(doc, ` id="`+accounts[0].String()+`"`, ` id="`+opened.String()+`"`)
	order, o := e.newOrder(opened, "5")
	e.insertOrder(o)
	e.must(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), true, nil))
	e.noAccount(accounts[0])
	e.belongs(accounts[1], id)
	e.belongs(opened, id)
	e.equal("the largest order", order.String(), e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["ORDER_ID"])

	// What was given up is free for another.
	other, others, doc2 := e.newCustomer(1)
	doc2 = e.edit(doc2, ` id="`+others[0].String()+`"`, ` id="`+accounts[0].String()+`"`)
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc2), true)
	e.must(err)
	e.belongs(accounts[0], other)
}

func replaceCustomerAccountExists(e *env) {
	id, accounts, doc := e.insertCustomer(2)
	doc = e.edit(doc, ` id="`+accounts[1].String()+`"`, ` id="`+e.accountID(1).String()+`"`)
	e.unchanged(watch{customers: []brokerage.ID{id, e.customerID(1)}, accounts: append(accounts, e.accountID(1))}, func() {
		for _, validate := range []bool{true, false} {
			e.accountExists(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), validate, nil), e.accountID(1))
		}
	})
}

func replaceCustomerInvalid(e *env) {
	id, accounts, doc := e.insertCustomer(2)
	e.unchanged(watch{customers: []brokerage.ID{id}, accounts: accounts}, func() {
		e.invalid(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(e.put(doc, "Gender", "neither")), true, nil))
		for _, b := range badKeys(e, doc, accounts) {
			e.invalid(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(b), false, nil))
		}
	})
}

func replaceCustomerNotValidated(e *env) {
	id, _, doc := e.insertCustomer(1)
	doc = e.put(doc, "Gender", "neither")
	e.must(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), false, nil))
	e.same("the customer", e.tree([]byte(doc)), e.customer(id))
}

func replaceCustomerWrongKey(e *env) {
	id, accounts, _ := e.insertCustomer(1)
	_, _, other := e.newCustomer(1)
	e.unchanged(watch{customers: []brokerage.ID{id}, accounts: accounts}, func() {
		e.invalid(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(other), true, nil))
		e.invalid(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(other), false, nil))
	})
}

func replaceCustomerMissing(e *env) {
	id, accounts, doc := e.newCustomer(1)
	e.notFound(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), true, nil), "customer")
	_, err := e.s.GetCustomer(e.Context(), id)
	e.notFound(err, "customer")
	e.noAccount(accounts[0])
}

func deleteCustomer(e *env) {
	id, accounts, doc := e.insertCustomer(3)
	order, o := e.newOrder(accounts[0], "5")
	e.insertOrder(o)
	e.must(e.s.DeleteCustomer(e.Context(), plain(), id))
	_, err := e.s.GetCustomer(e.Context(), id)
	e.notFound(err, "customer")
	_, err = e.s.CustomerMaxOrder(e.Context(), id)
	e.notFound(err, "customer")
	for _, a := range accounts {
		e.noAccount(a)
	}
	e.same("the order, which stays", e.tree([]byte(o)).child("Order"), e.order(order))
	e.notFound(e.s.DeleteCustomer(e.Context(), plain(), id), "customer")

	// Both kinds of ids are free again, and orders come back with the account.
	_, err = e.s.InsertCustomer(e.Context(), plain(), []byte(doc), true)
	e.must(err)
	e.belongs(accounts[2], id)
	e.equal("the largest order", order.String(), e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["ORDER_ID"])
}

func deleteCustomerMissing(e *env) {
	e.notFound(e.s.DeleteCustomer(e.Context(), plain(), e.id()), "customer")
}

func (e *env) newAccount(i int64) (brokerage.ID, string) {
	id := e.id()
	return id, string(e.d.AppendNewAccount(nil, i, dataset.NewAccount{ID: int64(id)}))
}

func openAccount(e *env) {
	for _, k := range []int64{0, 1, 2} {
		want := e.customers[k].clone()
		id, account := e.newAccount(k)
		got, err := e.s.OpenAccount(e.Context(), plain(), e.customerID(k), []byte(account))
		e.must(err)
		e.equal("the id", id, got)
		list := want.child("Accounts")
		list.content = append(list.content, e.tree([]byte(account)))
		e.same("the customer", want, e.customer(e.customerID(k)))
		e.same("the summary", refSummary(want), e.got(e.s.AccountSummary(e.Context(), e.customerID(k))))
		e.belongs(id, e.customerID(k))
	}
}

func openAccountExists(e *env) {
	_, account := e.newAccount(1)
	for _, existing := range []brokerage.ID{e.accountID(0), e.accountID(1)} { // its own, another's
		doc := e.edit(account, ` id="`+e.tree([]byte(account)).attrs["id"]+`"`, ` id="`+existing.String()+`"`)
		e.unchanged(watch{customers: []brokerage.ID{e.customerID(0), e.customerID(1)}, accounts: []brokerage.ID{existing}}, func() {
			_, err := e.s.OpenAccount(e.Context(), plain(), e.customerID(0), []byte(doc))
			e.conflict(err, brokerage.AccountExists)
		})
	}
}

func openAccountInvalid(e *env) {
	id, account := e.newAccount(1)
	e.unchanged(watch{customers: []brokerage.ID{e.customerID(0)}, accounts: []brokerage.ID{id}}, func() {
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
			_, err := e.s.OpenAccount(e.Context(), plain(), e.customerID(0), []byte(broken))
			e.invalid(err)
		}
	})
}

// The whole resulting document is validated, not only what is put into it.
func openAccountInvalidCustomer(e *env) {
	id, _, doc := e.newCustomer(1)
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(e.put(doc, "Gender", "neither")), false)
	e.must(err)
	account, a := e.newAccount(1)
	e.unchanged(watch{customers: []brokerage.ID{id}, accounts: []brokerage.ID{account}}, func() {
		_, err := e.s.OpenAccount(e.Context(), plain(), id, []byte(a))
		e.invalid(err)
	})
}

func openAccountMissing(e *env) {
	id, account := e.newAccount(1)
	_, err := e.s.OpenAccount(e.Context(), plain(), e.id(), []byte(account))
	e.notFound(err, "customer")
	e.noAccount(id)
}

func closeAccount(e *env) {
	for _, j := range []int{0, 1, 2} {
		id, accounts, doc := e.insertCustomer(3)
		want := e.tree([]byte(doc))
		want.child("Accounts").remove(refAccount(want, accounts[j]))
		e.must(e.s.CloseAccount(e.Context(), plain(), id, accounts[j]))
		e.same("the customer", want, e.customer(id))
		e.noAccount(accounts[j])
		e.belongs(accounts[(j+1)%3], id)
		e.notFound(e.s.CloseAccount(e.Context(), plain(), id, accounts[j]), "account")
		// The id is free again.
		_, err := e.s.OpenAccount(e.Context(), plain(), e.customerID(0), e.d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: int64(accounts[j])}))
		e.must(err)
		e.belongs(accounts[j], e.customerID(0))
	}
}

func closeAccountLast(e *env) {
	id, accounts, _ := e.insertCustomer(2)
	e.must(e.s.CloseAccount(e.Context(), plain(), id, accounts[0]))
	e.unchanged(watch{customers: []brokerage.ID{id}, accounts: accounts}, func() {
		e.conflict(e.s.CloseAccount(e.Context(), plain(), id, accounts[1]), brokerage.LastAccount)
	})
}

func closeAccountMissing(e *env) {
	id, accounts, _ := e.insertCustomer(2)
	e.unchanged(watch{customers: []brokerage.ID{id, e.customerID(1)}, accounts: append(accounts, e.accountID(1))}, func() {
		e.notFound(e.s.CloseAccount(e.Context(), plain(), id, e.id()), "account")
		e.notFound(e.s.CloseAccount(e.Context(), plain(), id, e.accountID(1)), "account") // another's
		e.notFound(e.s.CloseAccount(e.Context(), plain(), e.id(), accounts[0]), "customer")
	})
}
