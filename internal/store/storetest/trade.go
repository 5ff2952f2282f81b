package storetest

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"brokerage/internal/tpox"
)

var tradeCases = []testCase{
	{name: "Trade/Rounding", run: func(e *env) {
		symbol := e.d.Symbol(0)
		for _, c := range []struct{ price, quantity, amount string }{
			{"0.0150", "1", "0.02"}, {"0.0250", "1", "0.02"}, {"0.0350", "1", "0.04"},
			{"0.0051", "1", "0.01"}, {"1.005", "1", "1.00"}, {"1.015", "1", "1.02"}, {"2.675", "1", "2.68"},
			{"33.3333", "0.003", "0.10"}, {"0.3", "0.05", "0.02"}, {"0.1", "0.25", "0.02"},
			{"1.1", "1.1", "1.21"}, {"8.5675", "100.2", "858.46"}, {"123456.7891", "12345.679", "1524157888.60"},
			{"0", "5", "0.00"},
		} {
			e.setPrice(symbol, tpox.Price{LastTrade: c.price})
			for _, side := range []tpox.Side{tpox.Buy, tpox.Sell} {
				id, account := e.rich("100.00", "0", symbol, "50000")
				answer := e.trade(id, account, side, symbol, c.quantity)
				e.equal(c.quantity+" at "+c.price, c.amount, answer.child("Amount").text())
			}
		}
		// Balances with more decimal places than money has, too large for a float, signed or short, and quantities in odd
		// forms.
		e.setPrice(symbol, tpox.Price{LastTrade: "1.00"})
		for _, c := range [][3]string{
			{"100.005", "100.015", "5.0005"}, {"-0.005", "-0.015", "7"},
			{"9007199254740.99", "9007199254740.97", "9007199254740993.001"},
			{"+1", " 2 ", "08.1"}, {"-100", "1.", "0.999999"}, {".5", "-.5", "2.0005"},
		} {
			id, account := e.rich(c[0], c[1], symbol, c[2])
			e.trade(id, account, tpox.Buy, symbol, "1")
			e.trade(id, account, tpox.Buy, symbol, "0.006")
			e.trade(id, account, tpox.Sell, symbol, "0.501")
		}
	}},
	// A trade whose amount rounds to 0.00 would give shares for nothing. 0.005 rounds to the even 0.00.
	{name: "Trade/ForNothing", run: func(e *env) {
		symbol := e.d.Symbol(0)
		for _, c := range []struct{ price, less, least string }{
			{"4.99", "0.001", "0.002"}, {"5", "0.001", "0.002"}, {"5.0001", "", "0.001"}, {"1", "0.005", "0.006"},
			{"0.005", "1", "1.001"}, {"0.0001", "50", "50.001"},
		} {
			e.setPrice(symbol, tpox.Price{LastTrade: c.price})
			id, account := e.rich("100.00", "0", symbol, "100")
			for _, side := range []tpox.Side{tpox.Buy, tpox.Sell} {
				if c.less != "" {
					message := e.refusedTrade(id, account, side, symbol, c.less, refForNothing)
					if !strings.Contains(message, " "+c.least+" ") {
						e.Errorf("%s at %s: %s, want the least quantity %s", c.less, c.price, message, c.least)
					}
				}
				e.equal(c.least+" at "+c.price, "0.01", e.trade(id, account, side, symbol, c.least).child("Amount").text())
			}
		}
	}},
	{name: "Trade/Twice", run: func(e *env) {
		id, accounts, doc := e.newCustomer(1)
		symbol, other := e.d.Symbol(0), e.d.Symbol(1)
		doc = e.put(doc, "Holdings", positionXML(other, "o", "1")+positionXML(symbol, "first", "10.5")+
			positionXML(symbol, "second", "20"))
		e.insert(doc, true)
		e.trade(id, accounts[0], tpox.Buy, symbol, "5")
		e.refusedTrade(id, accounts[0], tpox.Sell, symbol, "15.501", tpox.TooFewHeld)
		e.refusedTrade(id, accounts[0], tpox.Sell, symbol, "100", tpox.TooFewHeld)
		e.trade(id, accounts[0], tpox.Sell, symbol, "15.5") // the first position is removed
		e.equal("what is left of the second", "19.000",
			e.trade(id, accounts[0], tpox.Sell, symbol, "1").child("Position").text())
	}},
	{name: "Trade/BalanceLimit", run: func(e *env) {
		symbol := e.d.Symbol(0)
		e.setPrice(symbol, tpox.Price{LastTrade: "500000000"})
		id, account := e.rich("0.00", "0.00", symbol, "100000")
		e.refusedTrade(id, account, tpox.Buy, symbol, "20000.001", tpox.BalanceLimit)
		e.refusedTrade(id, account, tpox.Sell, symbol, "20001", tpox.BalanceLimit)
		e.trade(id, account, tpox.Sell, symbol, "20000") // up to one limit
		e.refusedTrade(id, account, tpox.Sell, symbol, "0.001", tpox.BalanceLimit)
		e.trade(id, account, tpox.Buy, symbol, "40000") // down to the other limit
		e.refusedTrade(id, account, tpox.Buy, symbol, "0.001", tpox.BalanceLimit)
		// Each of the two balances has the limit.
		id, account = e.rich("0.00", "9999999999999.99", symbol, "100000")
		e.refusedTrade(id, account, tpox.Sell, symbol, "0.001", tpox.BalanceLimit)
		id, account = e.rich("9999999999999.99", "0.00", symbol, "100000")
		e.refusedTrade(id, account, tpox.Sell, symbol, "0.001", tpox.BalanceLimit)
	}},
	{name: "Trade/Invalid", run: func(e *env) {
		e.unchanged(watch{customers: ids{e.customerID(0)}}, func() {
			for _, q := range []string{"", "0", "0.000", "-1", "1.0001", "1000000000.001", "1e3", "x", "NaN", "1 000", "1,5"} {
				for _, side := range []tpox.Side{tpox.Buy, tpox.Sell} {
					t := tpox.Trade{Side: side, Symbol: e.held(0), Quantity: q, Now: now}
					e.invalid(errOf(e.s.Trade(e.Context(), plain(), e.accountID(0), t)))
				}
			}
		})
	}},
	// A document that was not validated may lack what a trade needs.
	{name: "Trade/InvalidAccount", run: func(e *env) {
		symbol := e.held(0)
		for _, element := range []string{"LastUpdate", "Balance", "gValueDate"} {
			id, accounts, doc := e.newCustomer(1)
			open, rest, _ := strings.Cut(doc, "<"+element+">")
			_, end, _ := strings.Cut(rest, "</"+element+">")
			e.insert(open+end, false)
			e.unchanged(watch{customers: ids{id}}, func() {
				e.invalid(errOf(e.s.Trade(e.Context(), plain(), accounts[0], buying(symbol, "1"))))
			})
		}
	}},
	// In a document that was not validated, the elements that a trade changes may have attributes. They stay, and are not
	// part of the confirmation.
	{name: "Trade/Attributes", run: func(e *env) {
		symbol := e.held(0)
		id, accounts, doc := e.newCustomer(1)
		doc = e.put(doc, "Holdings", positionXML(symbol, "N", "5"))
		for _, name := range []string{
			"LastUpdate", "OnlineActualBal", "WorkingBalance", "ValueDate", "CreditMovement", "ValueDatedBal", "Quantity",
		} {
			doc = e.edit(doc, "<"+name+">", "<"+name+` odd="1">`)
		}
		e.insert(doc, false)
		e.trade(id, accounts[0], tpox.Buy, symbol, "1.5")
		e.trade(id, accounts[0], tpox.Sell, symbol, "2")
	}},
	{name: "Trade/Missing", run: func(e *env) {
		e.noAccount(e.id())
		e.unchanged(watch{customers: ids{e.customerID(0)}}, func() {
			for _, symbol := range e.unknownSymbols() {
				e.notFound(errOf(e.s.Trade(e.Context(), plain(), e.accountID(0), buying(symbol, "1"))), "security")
				e.notFound(errOf(e.s.Trade(e.Context(), plain(), e.id(), buying(symbol, "1"))), "account")
			}
		})
	}},
}

// trade runs a trade and compares it with the reference's. It returns the confirmation, or nil if both refuse it.
func (e *env) trade(customer, account tpox.ID, side tpox.Side, symbol, quantity string) *element {
	t := tpox.Trade{Side: side, Symbol: symbol, Quantity: quantity, Now: now}
	want := e.customer(customer)
	confirmation, refusal := refTrade(want, account, e.security(symbol), t)
	if refusal != "" {
		e.refusedTrade(customer, account, side, symbol, quantity, refusal)
		return nil
	}
	e.same(fmt.Sprintf("the confirmation of %+v", t), confirmation, e.got(e.s.Trade(e.Context(), plain(), account, t)))
	e.same(fmt.Sprintf("the customer after %+v", t), want, e.customer(customer))
	return confirmation
}

// refusedTrade requires that the reference and the store refuse a trade for the given reason, and returns the text
// of the store's error.
func (e *env) refusedTrade(
	customer, account tpox.ID, side tpox.Side, symbol, quantity string, reason tpox.Reason,
) (message string) {
	t := tpox.Trade{Side: side, Symbol: symbol, Quantity: quantity, Now: now}
	_, refusal := refTrade(e.customer(customer), account, e.security(symbol), t)
	e.equal("the reference's refusal", reason, refusal)
	e.unchanged(watch{customers: ids{customer}, accounts: ids{account}}, func() {
		err := errOf(e.s.Trade(e.Context(), plain(), account, t))
		if refusal == refForNothing {
			e.invalid(err)
		} else {
			e.conflict(err, refusal)
		}
		message = err.Error()
	})
	return message
}

// refForNothing is the reference's reason to refuse a trade as *Invalid.
const refForNothing tpox.Reason = "the amount rounds to 0.00"

// rich inserts a customer with one account of given balances and one position.
func (e *env) rich(online, working, symbol, quantity string) (id, account tpox.ID) {
	id, accounts, doc := e.newCustomer(1)
	doc = e.put(e.put(doc, "OnlineActualBal", online), "WorkingBalance", working)
	doc = e.put(doc, "Holdings", positionXML(symbol, "N", quantity))
	e.insert(doc, true)
	return id, accounts[0]
}

// refTrade edits a customer as a trade does and returns the confirmation, or the reason of its refusal.
func refTrade(c *element, id tpox.ID, s *element, t tpox.Trade) (*element, tpox.Reason) {
	a := refAccount(c, id)
	price := s.child("Price", "LastTrade").text()
	quantity := decimal(t.Quantity)
	amount := fixed(new(big.Rat).Mul(quantity, decimal(price)), 2)
	if decimal(amount).Sign() == 0 && decimal(price).Sign() > 0 {
		return nil, refForNothing
	}
	movement, change := decimal(amount), quantity
	if t.Side == tpox.Buy {
		movement = new(big.Rat).Neg(movement)
	} else {
		change = new(big.Rat).Neg(change)
	}
	limit := new(big.Rat).SetInt64(1e13)
	after := func(name string) *big.Rat {
		return new(big.Rat).Add(decimal(a.child("Balance", name).text()), movement)
	}
	online, working := after("OnlineActualBal"), after("WorkingBalance")
	if new(big.Rat).Abs(online).Cmp(limit) > 0 || new(big.Rat).Abs(working).Cmp(limit) > 0 {
		return nil, tpox.BalanceLimit
	}

	position, refusal := refPosition(a.child("Holdings"), s, t, change)
	if refusal != "" {
		return nil, refusal
	}

	now := t.Now.UTC()
	a.child("LastUpdate").setText(now.Format("2006-01-02T15:04:05"))
	a.child("Balance", "OnlineActualBal").setText(fixed(online, 2))
	a.child("Balance", "WorkingBalance").setText(fixed(working, 2))
	first := a.child("gValueDate", "mValueDate")
	first.child("ValueDate").setText(now.Format(time.DateOnly))
	first.child("CreditMovement").setText(fixed(movement, 2))
	first.child("ValueDatedBal").setText(fixed(working, 2))

	answer := build(custacc, "Trade_Confirmation", []string{"ACCOUNT_ID", id.String()})
	for _, f := range [][2]string{
		{"Side", string(t.Side)}, {"Symbol", t.Symbol}, {"Quantity", fixed(quantity, 3)}, {"Price", price},
		{"Amount", amount},
		{"Position", fixed(position, 3)}, {"OnlineActualBal", fixed(online, 2)}, {"WorkingBalance", fixed(working, 2)},
	} {
		answer.add(build(custacc, f[0], nil, f[1]))
	}
	return answer, ""
}

// refPosition adds a quantity to the position in a security and returns the sum, or the reason of a refusal.
func refPosition(holdings, s *element, t tpox.Trade, change *big.Rat) (*big.Rat, tpox.Reason) {
	held := holdings.children("Position")
	at := slices.IndexFunc(held, func(p *element) bool { return p.child("Symbol").text() == t.Symbol })
	position := change
	switch {
	case at < 0 && t.Side == tpox.Sell:
		return nil, tpox.NotHeld
	case at < 0 && len(held) >= 30:
		return nil, tpox.TooManyHoldings
	case at < 0:
		holdings.content = append(holdings.content, build(custacc, "Position", nil,
			build(custacc, "Symbol", nil, s.child("Symbol").text()), build(custacc, "Name", nil, s.child("Name").text()),
			build(custacc, "Type", nil, s.child("SecurityType").text()), build(custacc, "Quantity", nil, fixed(change, 3))))
	default:
		position = new(big.Rat).Add(decimal(held[at].child("Quantity").text()), change)
		switch position.Sign() {
		case -1:
			return nil, tpox.TooFewHeld
		case 0:
			holdings.remove(held[at])
		default:
			held[at].child("Quantity").setText(fixed(position, 3))
		}
	}
	return position, ""
}
