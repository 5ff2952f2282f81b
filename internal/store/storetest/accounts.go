package storetest

import (
	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// An order names an account, and belongs to the customer who has the account at that moment: to nobody, or to several
// one after another.
var accountCases = []testCase{
	{name: "Accounts/OrderFirst", run: func(e *env) {
		id, accounts, _ := e.insertCustomer(1)
		own := e.placed(accounts[0], "5")
		opened, account := e.newAccount(1)
		early := e.placed(opened, "1000")
		e.noAccount(opened)
		e.largestIs(id, own)
		e.must(errOf(e.s.OpenAccount(e.Context(), plain(), id, []byte(account))))
		e.largestIs(id, early)
		late := e.placed(opened, "2000")
		e.largestIs(id, late)
		e.must(e.s.CloseAccount(e.Context(), plain(), id, opened))
		e.largestIs(id, own)
		e.must(e.s.DeleteOrder(e.Context(), plain(), own))
		e.same("the answer after the delete", refMaxOrder(e.customer(id), nil), e.got(e.s.CustomerMaxOrder(e.Context(), id)))

		// The account comes with a customer.
		other, others, doc := e.newCustomer(2)
		early = e.placed(others[1], "7")
		e.insert(doc, true)
		e.largestIs(other, early)

		// No customer ever has the account.
		order := e.id()
		e.insertOrder(string(e.d.AppendNewOrder(nil, 3, dataset.NewOrder{ID: int64(order), Account: int64(e.id())})))
		e.must(errOf(e.s.UpdateOrderStatus(e.Context(), plain(), order, "4")))
		e.equal("the status", "4", e.order(order).attrs["Stat"])
		e.must(e.s.DeleteOrder(e.Context(), plain(), order))
		e.noOrder(order)
	}},
	{name: "Accounts/OtherOwner", run: func(e *env) {
		first, accounts, _ := e.insertCustomer(2)
		second, others, _ := e.insertCustomer(1)
		customers, own := ids{first, second}, ids{e.placed(accounts[0], "2"), e.placed(others[0], "3")}
		moving := accounts[1]
		order := e.placed(moving, "50")
		e.owns(first, second, moving, order, own[1])
		for round, cash := range []string{"60", "70", "80"} { // to the other customer and back, and once more
			from, to := customers[round%2], customers[1-round%2]
			e.must(e.s.CloseAccount(e.Context(), plain(), from, moving))
			e.largestIs(from, own[round%2])
			e.largestIs(to, own[1-round%2])
			account := e.d.AppendNewAccount(nil, int64(round), dataset.NewAccount{ID: int64(moving)})
			e.must(errOf(e.s.OpenAccount(e.Context(), plain(), to, account)))
			e.owns(to, from, moving, order, own[round%2])
			order = e.placed(moving, cash)
			e.owns(to, from, moving, order, own[round%2])
		}
	}},
}

// placed inserts an order with the given cash for an account, and returns its id.
func (e *env) placed(account tpox.ID, cash string) tpox.ID {
	id, doc := e.newOrder(account, cash)
	e.insertOrder(doc)
	return id
}

// largestIs requires that the largest order of a customer is the given one; 0 is none.
func (e *env) largestIs(customer, order tpox.ID) {
	want := ""
	if order != 0 {
		want = order.String()
	}
	e.equal("the largest order", want, e.got(e.s.CustomerMaxOrder(e.Context(), customer)).attrs["ORDER_ID"])
}

// owns requires that an account with its largest order belongs to its owner in every answer, and no longer to the
// former owner, who has another largest order.
func (e *env) owns(owner, former, account, largest, other tpox.ID) {
	e.belongs(account, owner)
	e.largestIs(owner, largest)
	e.largestIs(former, other)
	for _, id := range (ids{owner, former}) {
		c := e.customer(id)
		e.equal("whether the customer has the account", id == owner, refAccount(c, account) != nil)
		e.same("the summary", refSummary(c), e.got(e.s.AccountSummary(e.Context(), id)))
	}
	e.unchanged(watch{customers: ids{former}}, func() {
		e.trade(owner, account, tpox.Buy, e.held(0), "1")
		e.notFound(e.s.CloseAccount(e.Context(), plain(), former, account), "account")
	})
}
