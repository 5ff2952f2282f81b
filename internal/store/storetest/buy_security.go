package storetest

import (
	"strings"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

var buySecurity = &transaction{
	call: func(e *env) call {
		id, accounts, _ := e.insertCustomer(1)
		symbol, _ := e.listed()
		uses := watch{customers: ids{id}, accounts: accounts, symbols: []string{symbol}}
		return writing(uses, e.s.Trade, accounts[0], buying(symbol, "5"))
	},
	cases: []testCase{
		{name: "Trade/Held", run: func(e *env) {
			for _, k := range sample(int64(len(e.customers)), 5) {
				e.account(e.accountID(k)) // so that it may be in a cache
				for _, q := range []string{"1", "0.125", "12.340", "1000000000", "+3", "007.", ".5"} {
					answer := e.trade(e.customerID(k), e.accountID(k), tpox.Buy, e.held(k), q)
					require.True(e, answer != nil || q == "1000000000", "buying %s was refused", q)
				}
				for _, q := range []string{"1", "10", "0.125", "3.01"} {
					require.NotNil(e, e.trade(e.customerID(k), e.accountID(k), tpox.Sell, e.held(k), q), q)
				}
				account := e.customer(e.customerID(k)).child("Accounts", "Account")
				e.same("the account", account, e.account(e.accountID(k)))
				e.equal("LastUpdate, in UTC", "2026-03-03T19:32:03", account.child("LastUpdate").text())
				e.equal("ValueDate, in UTC", "2026-03-03", account.child("gValueDate", "mValueDate", "ValueDate").text())
			}
		}},
		{name: "Trade/BuyNew", run: func(e *env) {
			symbol := e.notHeld(4)
			for range 2 {
				e.trade(e.customerID(4), e.accountID(4), tpox.Buy, symbol, "2.5")
			}
			held := refAccount(e.customer(e.customerID(4)), e.accountID(4)).child("Holdings").children("Position")
			last := held[len(held)-1]
			e.equal("the last position", symbol, last.child("Symbol").text())
			e.equal("its quantity", "5.000", last.child("Quantity").text())
		}},
		{name: "Trade/TooManyHoldings", run: func(e *env) {
			id, account := e.holding(29, "0.00")
			e.trade(id, account, tpox.Buy, e.d.Symbol(29), "1") // the 30th
			e.refusedTrade(id, account, tpox.Buy, e.d.Symbol(30), "1", tpox.TooManyHoldings)
			e.trade(id, account, tpox.Buy, e.d.Symbol(7), "1") // more of a security that is held
			e.trade(id, account, tpox.Sell, e.d.Symbol(7), "6")
			e.trade(id, account, tpox.Buy, e.d.Symbol(30), "1") // there is room again
		}},
		{name: "Trade/NotCovered", rules: covered, run: func(e *env) {
			symbol := e.d.Symbol(0)
			e.setPrice(symbol, tpox.Price{LastTrade: "10.00"})
			id, account := e.rich("1000000", "100.00", symbol, "1000")
			buy := func(symbol, quantity string) error {
				_, err := e.s.Trade(e.Context(), plain(), account, buying(symbol, quantity))
				return err
			}
			e.unchanged(watch{customers: ids{id}}, func() { e.conflict(buy(symbol, "10.001"), tpox.NotCovered) })
			e.trade(id, account, tpox.Buy, symbol, "10")
			e.conflict(buy(symbol, "0.001"), tpox.NotCovered)
			e.trade(id, account, tpox.Sell, symbol, "1")
			e.trade(id, account, tpox.Buy, symbol, "1")

			// The variable covered also sets MaxHoldings.
			_, account = e.holding(3, "1000000000.00")
			e.must(buy(e.d.Symbol(2), "1"))
			e.conflict(buy(e.d.Symbol(3), "1"), tpox.TooManyHoldings)
		}},
	},
}

var covered = tpox.Rules{MaxHoldings: 3, Covered: true}

// holding inserts a customer with positions in the first n securities.
func (e *env) holding(n int, balance string) (id, account tpox.ID) {
	id, accounts, doc := e.newCustomer(1)
	var b strings.Builder
	for i := range n {
		b.WriteString(positionXML(e.d.Symbol(i), "N", "5"))
	}
	doc = e.put(e.put(e.put(doc, "Holdings", b.String()), "OnlineActualBal", balance), "WorkingBalance", balance)
	e.insert(doc, true)
	return id, accounts[0]
}

// buy buys one share.
func (e *env) buy(w tpox.Write, account tpox.ID, symbol string) ([]byte, error) {
	t := buying(symbol, "1")
	t.Now = w.Now
	return e.s.Trade(e.Context(), w, account, t)
}

func buying(symbol, quantity string) tpox.Trade {
	return tpox.Trade{Side: tpox.Buy, Symbol: symbol, Quantity: quantity, Now: now}
}
