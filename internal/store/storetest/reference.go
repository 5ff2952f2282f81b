package storetest

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/brokerage"
)

// The reference: what every transaction answers and does, said once more as
// plainly as possible, on trees and with fractions. It shares no code with the
// service.

const (
	custacc  = "http://tpox-benchmark.com/custacc"
	security = "http://tpox-benchmark.com/security"
	fixml    = "http://www.fixprotocol.org/FIXML-4-4"
)

var decimalForm = regexp.MustCompile(`^[ \t\r\n]*[+-]?(\d+(\.\d*)?|\.\d+)[ \t\r\n]*$`)

// decimal gives nil for what is not one.
func decimal(s string) *big.Rat {
	if !decimalForm.MatchString(s) {
		return nil
	}
	r, _ := new(big.Rat).SetString(strings.TrimSuffix(strings.Trim(s, " \t\r\n"), "."))
	return r
}

// fixed writes a fraction with some places, half to even.
func fixed(r *big.Rat, places int) string {
	pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(pow))
	whole, rest := new(big.Int).DivMod(scaled.Num(), scaled.Denom(), new(big.Int)) // rest >= 0
	switch rest.Lsh(rest, 1).Cmp(scaled.Denom()) {
	case 1:
		whole.Add(whole, big.NewInt(1))
	case 0:
		if whole.Bit(0) == 1 {
			whole.Add(whole, big.NewInt(1))
		}
	}
	return new(big.Rat).SetFrac(whole, pow).FloatString(places)
}

func refOrder(doc *element) *element { return doc.child("Order") }

func refProfile(c *element) *element {
	var addresses []any
	for _, a := range c.child("Addresses").children("Address") {
		addresses = append(addresses, a)
	}
	return build(custacc, "Customer_Profile", []string{"CUSTOMERID", c.attrs["id"]},
		c.child("Name"), c.child("DateOfBirth"), c.child("Gender"), c.child("CountryOfResidence"), c.child("Languages"),
		build(custacc, "Addresses", nil, addresses...), c.child("Addresses", "EmailAddresses"))
}

func refSummary(c *element) *element {
	list := build(custacc, "Customer_Securities", nil)
	for _, a := range c.child("Accounts").children("Account") {
		held := build(custacc, "Securities", nil)
		for _, p := range a.child("Holdings").children("Position") {
			held.content = append(held.content, build(custacc, "Position", nil, p.child("Symbol"), p.child("Name"), p.child("Quantity")))
		}
		list.content = append(list.content, build(custacc, "Account",
			[]string{"ACCOUNT_ID", a.attrs["id"], "BALANCE", a.child("Balance", "OnlineActualBal").text(), "CURRENCY", a.child("Currency").text()},
			held, build(custacc, "Statement", nil, a.child("gValueDate").children("mValueDate"))))
	}
	return build(custacc, "Customer", []string{"id", c.attrs["id"]}, c.child("Name"), list)
}

func refPrice(s *element) *element {
	p := s.child("Price")
	return build(security, "Security_Price", []string{"SYMBOL", s.child("Symbol").text()},
		s.child("Name"), p.child("LastTrade"), p.child("Ask"), p.child("Bid"), p.child("PriceToday", "Open"))
}

// refSector is the first sector of whatever kind of security it is said for.
func refSector(s *element) *element {
	for _, information := range s.children("SecurityInformation") {
		for _, kind := range information.children("*") {
			if sector := kind.child("Sector"); sector != nil {
				return sector
			}
		}
	}
	return nil
}

// refSearch looks at every security there is.
func refSearch(all []*element, q brokerage.Search) *element {
	bound := func(n int64) *big.Rat { return big.NewRat(n, 10000) }
	var hits []*element
	for _, s := range all {
		sector := refSector(s)
		pe, yield := decimal(s.child("PE").text()), decimal(s.child("Yield").text())
		if sector == nil || sector.text() != q.Sector || pe == nil || yield == nil ||
			pe.Cmp(bound(q.PEMin)) < 0 || pe.Cmp(bound(q.PEMax)) >= 0 || yield.Cmp(bound(q.YieldMin)) <= 0 {
			continue
		}
		hit := build(security, "Security", nil)
		for _, f := range []struct {
			name string
			from *element
		}{{"Symbol", s.child("Symbol")}, {"Name", s.child("Name")}, {"SecurityType", s.child("SecurityType")}, {"Sector", sector}, {"PE", s.child("PE")}, {"Yield", s.child("Yield")}} {
			if text := f.from.text(); text != "" {
				hit.content = append(hit.content, build(security, f.name, nil, text))
			} else {
				hit.content = append(hit.content, build(security, f.name, nil))
			}
		}
		hits = append(hits, hit)
	}
	slices.SortFunc(hits, func(a, b *element) int { return strings.Compare(a.child("Symbol").text(), b.child("Symbol").text()) })
	return build(security, "Securities", []string{"count", strconv.Itoa(len(hits))}, hits)
}

// refMaxOrder looks at every order there is.
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

func idOf(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func refAccount(c *element, id brokerage.ID) *element {
	for _, a := range c.child("Accounts").children("Account") {
		if a.attrs["id"] == id.String() {
			return a
		}
	}
	return nil
}

// refTrade edits a customer as a trade does and gives the confirmation; where
// it is refused it gives why.
func refTrade(c *element, id brokerage.ID, s *element, t brokerage.Trade) (*element, brokerage.Reason) {
	a := refAccount(c, id)
	price := s.child("Price", "LastTrade").text()
	quantity := decimal(t.Quantity)
	amount := fixed(new(big.Rat).Mul(quantity, decimal(price)), 2)
	movement, change := decimal(amount), quantity
	if t.Side == brokerage.Buy {
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
		return nil, brokerage.BalanceLimit
	}

	holdings := a.child("Holdings")
	held := holdings.children("Position")
	at := slices.IndexFunc(held, func(p *element) bool { return p.child("Symbol").text() == t.Symbol })
	position := change
	switch {
	case at < 0 && t.Side == brokerage.Sell:
		return nil, brokerage.NotHeld
	case at < 0 && len(held) >= 30:
		return nil, brokerage.TooManyHoldings
	case at < 0:
		holdings.content = append(holdings.content, build(custacc, "Position", nil,
			build(custacc, "Symbol", nil, s.child("Symbol").text()), build(custacc, "Name", nil, s.child("Name").text()),
			build(custacc, "Type", nil, s.child("SecurityType").text()), build(custacc, "Quantity", nil, fixed(change, 3))))
	default:
		position = new(big.Rat).Add(decimal(held[at].child("Quantity").text()), change)
		switch position.Sign() {
		case -1:
			return nil, brokerage.TooFewHeld
		case 0:
			holdings.remove(held[at])
		default:
			held[at].child("Quantity").setText(fixed(position, 3))
		}
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
		{"Side", string(t.Side)}, {"Symbol", t.Symbol}, {"Quantity", fixed(quantity, 3)}, {"Price", price}, {"Amount", amount},
		{"Position", fixed(position, 3)}, {"OnlineActualBal", fixed(online, 2)}, {"WorkingBalance", fixed(working, 2)},
	} {
		answer.content = append(answer.content, build(custacc, f[0], nil, f[1]))
	}
	return answer, ""
}

// refSetPrice edits a security as update_security_price does.
func refSetPrice(s *element, p brokerage.Price) {
	price := s.child("Price")
	price.child("LastTrade").setText(p.LastTrade)
	if p.Ask != "" {
		price.child("Ask").setText(p.Ask)
	}
	if p.Bid != "" {
		price.child("Bid").setText(p.Bid)
	}
	last := decimal(p.LastTrade)
	if high := price.child("PriceToday", "High"); last.Cmp(decimal(high.text())) > 0 {
		high.setText(p.LastTrade)
	}
	if low := price.child("PriceToday", "Low"); last.Cmp(decimal(low.text())) < 0 {
		low.setText(p.LastTrade)
	}
}

// firstDifference is where two canonical forms part, for messages that a
// person can read.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("line %d of the canonical form\n  want %.300s\n  got  %.300s", i+1, a, b)
		}
	}
	return "none"
}
