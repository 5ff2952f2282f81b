package storetest

import (
	"brokerage/internal/tpox"
)

var sellSecurity = &transaction{
	call: func(e *env) call {
		symbol, _ := e.listed()
		id, account := e.rich("0.00", "0.00", symbol, "7")
		return writing(watch{customers: ids{id}, symbols: []string{symbol}}, e.s.Trade, account, selling(symbol, "5"))
	},
	cases: []testCase{
		{name: "Trade/SellAll", run: func(e *env) {
			k := int64(1)
			symbol := e.held(k)
			all := refAccount(e.customers[k], e.accountID(k)).child("Holdings", "Position", "Quantity").text()
			confirmation := e.trade(e.customerID(k), e.accountID(k), tpox.Sell, symbol, all)
			e.equal("the position", "0.000", confirmation.child("Position").text())
			e.refusedTrade(e.customerID(k), e.accountID(k), tpox.Sell, symbol, "1", tpox.NotHeld)

			// Sell until no position is left, and buy again.
			id, accounts, doc := e.newCustomer(1)
			doc = e.put(doc, "Holdings", "")
			e.insert(doc, true)
			for range 2 {
				e.trade(id, accounts[0], tpox.Buy, symbol, "5")
				e.trade(id, accounts[0], tpox.Sell, symbol, "5.000")
				e.equal("positions", 0, len(refAccount(e.customer(id), accounts[0]).child("Holdings").children("Position")))
			}
		}},
	},
}

func selling(symbol, quantity string) tpox.Trade {
	return tpox.Trade{Side: tpox.Sell, Symbol: symbol, Quantity: quantity, Now: now}
}
