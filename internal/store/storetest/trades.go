package storetest

import (
	"fmt"
	"strings"

	"brokerage/internal/brokerage"
)

var covered = brokerage.Rules{MaxHoldings: 3, Covered: true}

var tradeCases = []testCase{
	{name: "Trade/BuyHeld", run: tradeBuyHeld},
	{name: "Trade/BuyNew", run: tradeBuyNew},
	{name: "Trade/Sell", run: tradeSell},
	{name: "Trade/SellAll", run: tradeSellAll},
	{name: "Trade/Rounding", run: tradeRounding},
	{name: "Trade/Twice", run: tradeTwice},
	{name: "Trade/NotHeld", run: tradeNotHeld},
	{name: "Trade/TooFewHeld", run: tradeTooFewHeld},
	{name: "Trade/TooManyHoldings", run: tradeTooManyHoldings},
	{name: "Trade/BalanceLimit", run: tradeBalanceLimit},
	{name: "Trade/OnMargin", run: tradeOnMargin},
	{name: "Trade/NotCovered", run: tradeNotCovered, rules: &covered},
	{name: "Trade/Invalid", run: tradeInvalid},
	{name: "Trade/InvalidAccount", run: tradeInvalidAccount},
	{name: "Trade/Missing", run: tradeMissing},
}

// trade carries one out, beside the reference.
func (e *env) trade(customer, account brokerage.ID, side brokerage.Side, symbol, quantity string) *element {
	e.Helper()
	t := brokerage.Trade{Side: side, Symbol: symbol, Quantity: quantity, Now: now}
	want := e.customer(customer)
	confirmation, refusal := refTrade(want, account, e.security(symbol), t)
	if refusal != "" {
		e.unchanged(watch{customers: []brokerage.ID{customer}, accounts: []brokerage.ID{account}}, func() {
			_, err := e.s.Trade(e.Context(), plain(), account, t)
			e.conflict(err, refusal)
		})
		return nil
	}
	e.same(fmt.Sprintf("the confirmation of %+v", t), confirmation, e.got(e.s.Trade(e.Context(), plain(), account, t)))
	e.same(fmt.Sprintf("the customer after %+v", t), want, e.customer(customer))
	return confirmation
}

// refusedTrade wants a conflict, of the reference too.
func (e *env) refusedTrade(customer, account brokerage.ID, side brokerage.Side, symbol, quantity string, reason brokerage.Reason) {
	e.Helper()
	t := brokerage.Trade{Side: side, Symbol: symbol, Quantity: quantity, Now: now}
	_, refusal := refTrade(e.customer(customer), account, e.security(symbol), t)
	e.equal("the reference's refusal", reason, refusal)
	e.trade(customer, account, side, symbol, quantity)
}

func tradeBuyHeld(e *env) {
	for _, k := range sample(int64(len(e.customers)), 5) {
		for _, q := range []string{"1", "0.001", "12.340", "1000000000", "+3", "007.", ".5"} {
			if e.trade(e.customerID(k), e.accountID(k), brokerage.Buy, e.held(k), q) == nil && q != "1000000000" {
				e.Fatalf("buying %s was refused", q)
			}
		}
		account := e.customer(e.customerID(k)).child("Accounts", "Account")
		e.equal("LastUpdate, in UTC", "2026-03-03T19:32:03", account.child("LastUpdate").text())
		e.equal("ValueDate, in UTC", "2026-03-03", account.child("gValueDate", "mValueDate", "ValueDate").text())
	}
}

func tradeBuyNew(e *env) {
	symbol := e.notHeld(4)
	for range 2 {
		e.trade(e.customerID(4), e.accountID(4), brokerage.Buy, symbol, "2.5")
	}
	held := refAccount(e.customer(e.customerID(4)), e.accountID(4)).child("Holdings").children("Position")
	last := held[len(held)-1]
	e.equal("the last position", symbol, last.child("Symbol").text())
	e.equal("its quantity", "5.000", last.child("Quantity").text())
}

func tradeSell(e *env) {
	for _, k := range sample(int64(len(e.customers)), 5) {
		for _, q := range []string{"1", "10", "0.125", "3.01"} {
			if e.trade(e.customerID(k), e.accountID(k), brokerage.Sell, e.held(k), q) == nil {
				e.Fatalf("selling %s was refused", q)
			}
		}
	}
}

func tradeSellAll(e *env) {
	k := int64(1)
	symbol := e.held(k)
	all := refAccount(e.customers[k], e.accountID(k)).child("Holdings", "Position", "Quantity").text()
	e.equal("the position", "0.000", e.trade(e.customerID(k), e.accountID(k), brokerage.Sell, symbol, all).child("Position").text())
	e.refusedTrade(e.customerID(k), e.accountID(k), brokerage.Sell, symbol, "1", brokerage.NotHeld)

	// Down to no position at all, and up again.
	id, accounts, doc := e.newCustomer(1)
	doc = e.put(doc, "Holdings", "")
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), true)
	e.must(err)
	for range 2 {
		e.trade(id, accounts[0], brokerage.Buy, symbol, "5")
		e.trade(id, accounts[0], brokerage.Sell, symbol, "5.000")
		e.equal("positions", 0, len(refAccount(e.customer(id), accounts[0]).child("Holdings").children("Position")))
	}
}

// rich is a new customer with one account of given balances and one position.
func (e *env) rich(online, working, symbol, quantity string) (id, account brokerage.ID) {
	e.Helper()
	id, accounts, doc := e.newCustomer(1)
	doc = e.put(e.put(doc, "OnlineActualBal", online), "WorkingBalance", working)
	doc = e.put(doc, "Holdings", "<Position><Symbol>"+symbol+"</Symbol><Name>N</Name><Type>Stock</Type><Quantity>"+quantity+"</Quantity></Position>")
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), true)
	e.must(err)
	return id, accounts[0]
}

func tradeRounding(e *env) {
	symbol := e.d.Symbol(0)
	for _, c := range []struct{ price, quantity, amount string }{
		{"0.0050", "1", "0.00"}, {"0.0150", "1", "0.02"}, {"0.0250", "1", "0.02"}, {"0.0350", "1", "0.04"},
		{"0.0051", "1", "0.01"}, {"1.005", "1", "1.00"}, {"1.015", "1", "1.02"}, {"2.675", "1", "2.68"},
		{"0.0001", "0.001", "0.00"}, {"33.3333", "0.003", "0.10"}, {"0.3", "0.05", "0.02"}, {"0.1", "0.25", "0.02"},
		{"1.1", "1.1", "1.21"}, {"8.5675", "100.2", "858.46"}, {"123456.7891", "12345.679", "1524157888.60"},
		{"0", "5", "0.00"},
	} {
		e.setPrice(symbol, brokerage.Price{LastTrade: c.price})
		for _, side := range []brokerage.Side{brokerage.Buy, brokerage.Sell} {
			id, account := e.rich("100.00", "0", symbol, "50000")
			answer := e.trade(id, account, side, symbol, c.quantity)
			e.equal(c.quantity+" at "+c.price, c.amount, answer.child("Amount").text())
		}
	}
	// Balances of more places than money has, far from what a float can hold,
	// signed, short, and quantities as nobody writes them.
	e.setPrice(symbol, brokerage.Price{LastTrade: "1.00"})
	for _, c := range [][3]string{
		{"100.005", "100.015", "5.0005"}, {"-0.005", "-0.015", "7"}, {"9007199254740.99", "9007199254740.97", "9007199254740993.001"},
		{"+1", " 2 ", "08.1"}, {"-100", "1.", "0.999999"}, {".5", "-.5", "2.0005"},
	} {
		id, account := e.rich(c[0], c[1], symbol, c[2])
		e.trade(id, account, brokerage.Buy, symbol, "1")
		e.trade(id, account, brokerage.Buy, symbol, "0.001")
		e.trade(id, account, brokerage.Sell, symbol, "0.501")
	}
}

func tradeTwice(e *env) {
	id, accounts, doc := e.newCustomer(1)
	position := func(symbol, name, q string) string {
		return "<Position><Symbol>" + symbol + "</Symbol><Name>" + name + "</Name><Type>Stock</Type><Quantity>" + q + "</Quantity></Position>"
	}
	symbol, other := e.d.Symbol(0), e.d.Symbol(1)
	doc = e.put(doc, "Holdings", position(other, "o", "1")+position(symbol, "first", "10")+position(symbol, "second", "20"))
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), true)
	e.must(err)
	e.trade(id, accounts[0], brokerage.Buy, symbol, "5")
	e.refusedTrade(id, accounts[0], brokerage.Sell, symbol, "16", brokerage.TooFewHeld)
	e.trade(id, accounts[0], brokerage.Sell, symbol, "15") // the first goes
	e.equal("what is left of the second", "19.000",
		e.trade(id, accounts[0], brokerage.Sell, symbol, "1").child("Position").text())
}

func tradeNotHeld(e *env) {
	e.refusedTrade(e.customerID(2), e.accountID(2), brokerage.Sell, e.notHeld(2), "1", brokerage.NotHeld)
}

func tradeTooFewHeld(e *env) {
	id, account := e.rich("0.00", "0.00", e.d.Symbol(0), "10.5")
	e.refusedTrade(id, account, brokerage.Sell, e.d.Symbol(0), "10.501", brokerage.TooFewHeld)
	e.refusedTrade(id, account, brokerage.Sell, e.d.Symbol(0), "100", brokerage.TooFewHeld)
	e.trade(id, account, brokerage.Sell, e.d.Symbol(0), "10.5")
}

// holding is a customer with positions in the first n securities.
func (e *env) holding(n int, balance string) (id, account brokerage.ID) {
	e.Helper()
	id, accounts, doc := e.newCustomer(1)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<Position><Symbol>%s</Symbol><Name>N</Name><Type>Stock</Type><Quantity>5</Quantity></Position>", e.d.Symbol(i))
	}
	doc = e.put(e.put(e.put(doc, "Holdings", b.String()), "OnlineActualBal", balance), "WorkingBalance", balance)
	_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(doc), true)
	e.must(err)
	return id, accounts[0]
}

func tradeTooManyHoldings(e *env) {
	id, account := e.holding(29, "0.00")
	e.trade(id, account, brokerage.Buy, e.d.Symbol(29), "1") // the 30th
	e.refusedTrade(id, account, brokerage.Buy, e.d.Symbol(30), "1", brokerage.TooManyHoldings)
	e.trade(id, account, brokerage.Buy, e.d.Symbol(7), "1") // more of what is held
	e.trade(id, account, brokerage.Sell, e.d.Symbol(7), "6")
	e.trade(id, account, brokerage.Buy, e.d.Symbol(30), "1") // room again
}

func tradeBalanceLimit(e *env) {
	symbol := e.d.Symbol(0)
	e.setPrice(symbol, brokerage.Price{LastTrade: "500000000"})
	id, account := e.rich("0.00", "0.00", symbol, "100000")
	e.refusedTrade(id, account, brokerage.Buy, symbol, "20000.001", brokerage.BalanceLimit)
	e.refusedTrade(id, account, brokerage.Sell, symbol, "20001", brokerage.BalanceLimit)
	e.trade(id, account, brokerage.Sell, symbol, "20000") // to the limit
	e.refusedTrade(id, account, brokerage.Sell, symbol, "0.001", brokerage.BalanceLimit)
	e.trade(id, account, brokerage.Buy, symbol, "40000") // to the other
	e.refusedTrade(id, account, brokerage.Buy, symbol, "0.001", brokerage.BalanceLimit)
	// Either balance counts.
	id, account = e.rich("0.00", "9999999999999.99", symbol, "100000")
	e.refusedTrade(id, account, brokerage.Sell, symbol, "0.001", brokerage.BalanceLimit)
	id, account = e.rich("9999999999999.99", "0.00", symbol, "100000")
	e.refusedTrade(id, account, brokerage.Sell, symbol, "0.001", brokerage.BalanceLimit)
}

func tradeOnMargin(e *env) {
	symbol := e.d.Symbol(0)
	id, account := e.rich("1.00", "0.00", symbol, "1")
	if e.trade(id, account, brokerage.Buy, symbol, "1000") == nil {
		e.Fatalf("a buy on margin was refused")
	}
}

func tradeNotCovered(e *env) {
	symbol := e.d.Symbol(0)
	e.setPrice(symbol, brokerage.Price{LastTrade: "10.00"})
	id, account := e.rich("1000000", "100.00", symbol, "1000")
	buy := func(symbol, quantity string) error {
		_, err := e.s.Trade(e.Context(), plain(), account, brokerage.Trade{Side: brokerage.Buy, Symbol: symbol, Quantity: quantity, Now: now})
		return err
	}
	e.unchanged(watch{customers: []brokerage.ID{id}}, func() { e.conflict(buy(symbol, "10.001"), brokerage.NotCovered) })
	e.trade(id, account, brokerage.Buy, symbol, "10")
	e.conflict(buy(symbol, "0.001"), brokerage.NotCovered)
	e.trade(id, account, brokerage.Sell, symbol, "1")
	e.trade(id, account, brokerage.Buy, symbol, "1")

	// The other rule that a store is given.
	_, account = e.holding(3, "1000000000.00")
	e.must(buy(e.d.Symbol(2), "1"))
	e.conflict(buy(e.d.Symbol(3), "1"), brokerage.TooManyHoldings)
}

func tradeInvalid(e *env) {
	e.unchanged(watch{customers: []brokerage.ID{e.customerID(0)}}, func() {
		for _, q := range []string{"", "0", "0.000", "-1", "1.0001", "1000000000.001", "1e3", "x", "NaN", "1 000", "1,5"} {
			for _, side := range []brokerage.Side{brokerage.Buy, brokerage.Sell} {
				_, err := e.s.Trade(e.Context(), plain(), e.accountID(0), brokerage.Trade{Side: side, Symbol: e.held(0), Quantity: q, Now: now})
				e.invalid(err)
			}
		}
	})
}

// A document that was not validated may lack what a trade needs.
func tradeInvalidAccount(e *env) {
	symbol := e.held(0)
	for _, element := range []string{"LastUpdate", "Balance", "gValueDate"} {
		id, accounts, doc := e.newCustomer(1)
		open, rest, _ := strings.Cut(doc, "<"+element+">")
		_, end, _ := strings.Cut(rest, "</"+element+">")
		_, err := e.s.InsertCustomer(e.Context(), plain(), []byte(open+end), false)
		e.must(err)
		e.unchanged(watch{customers: []brokerage.ID{id}}, func() {
			_, err := e.s.Trade(e.Context(), plain(), accounts[0], brokerage.Trade{Side: brokerage.Buy, Symbol: symbol, Quantity: "1", Now: now})
			e.invalid(err)
		})
	}
}

func tradeMissing(e *env) {
	e.noAccount(e.id())
	e.unchanged(watch{customers: []brokerage.ID{e.customerID(0)}}, func() {
		for _, symbol := range e.missing() {
			_, err := e.s.Trade(e.Context(), plain(), e.accountID(0), brokerage.Trade{Side: brokerage.Buy, Symbol: symbol, Quantity: "1", Now: now})
			e.notFound(err, "security")
		}
	})
}
