package brokerage

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"brokerage/internal/xmldoc"
)

// Side is the direction of a trade.
type Side string

const (
	Buy  Side = "Buy"
	Sell Side = "Sell"
)

// Trade is an order of an account that is carried out at once, at the last
// price of the security.
type Trade struct {
	Side     Side
	Symbol   string
	Quantity string // a decimal above 0, of at most 3 places
	Now      time.Time
}

// Validate refuses what cannot be traded; the error is *Invalid.
func (t Trade) Validate() error {
	if t.Side != Buy && t.Side != Sell {
		return invalidf("/Trade/Side", "neither %s nor %s", Buy, Sell)
	}
	_, err := t.quantity()
	return err
}

func (t Trade) quantity() (decimal.Decimal, error) {
	q, ok := parseDecimal(t.Quantity)
	if !ok || q.Sign() <= 0 || q.GreaterThan(maxQuantity) || !q.Equal(q.Truncate(3)) {
		return q, invalidf("/Trade/Quantity", "not a quantity: a decimal above 0, up to 1000000000, with at most 3 places")
	}
	return q, nil
}

// Rules are what a brokerage may set for trades.
type Rules struct {
	MaxHoldings int  // positions of an account, at least 1
	Covered     bool // refuse a buy that the working balance does not cover
}

// DefaultRules trade on margin, as TPoX does.
var DefaultRules = Rules{MaxHoldings: 30}

// Quote is what a trade has to know of a security, as it stands in the document.
type Quote struct {
	Symbol, Name, Type, LastTrade string
}

var (
	tradedSecurity = paths("s:Security/s:Symbol", "s:Security/s:Name", "s:Security/s:SecurityType", "s:Security/s:Price[1]/s:LastTrade")
	tradedAccount  = paths("c:LastUpdate", "c:Balance[1]/c:OnlineActualBal", "c:Balance[1]/c:WorkingBalance",
		"c:gValueDate[1]/c:mValueDate", "c:Holdings")
	tradedDate         = paths("c:ValueDate", "c:CreditMovement", "c:ValueDatedBal") // of that one, none from those after it
	tradedAccountNames = [...]string{"LastUpdate", "Balance/OnlineActualBal", "Balance/WorkingBalance",
		"gValueDate/mValueDate", "Holdings", "gValueDate/mValueDate/ValueDate", "gValueDate/mValueDate/CreditMovement", "gValueDate/mValueDate/ValueDatedBal"}
)

// QuoteOf reads the quote of a security.
func QuoteOf(security []byte) Quote {
	var part [4]xmldoc.Node
	tradedSecurity.Find(in(security), part[:])
	return Quote{text(part[0]), text(part[1]), text(part[2]), text(part[3])}
}

// Terms are what a trade comes to at a price, as documents have it, for a store
// that does the rest by itself.
type Terms struct {
	Quantity string // three places
	Amount   string // two places, above or at 0
	Movement string // of the balances: Amount with the sign that it has for the account
}

// Terms says what the trade comes to. The error is *Invalid.
func (t Trade) Terms(quote Quote) (Terms, error) {
	is, err := t.terms(quote)
	if err != nil {
		return Terms{}, err
	}
	return Terms{Quantity: shares(is.quantity), Amount: money(is.amount), Movement: money(is.movement)}, nil
}

type terms struct{ quantity, amount, movement decimal.Decimal }

func (t Trade) terms(quote Quote) (is terms, err error) {
	if is.quantity, err = t.quantity(); err != nil {
		return is, err
	}
	price, ok := parseDecimal(quote.LastTrade)
	if !ok || price.Sign() < 0 {
		return is, invalidf("/Security/Price/LastTrade", "the security has no price")
	}
	// What the account pays, or gets where it sells: rounded first, so that
	// balances and confirmation are of one amount.
	is.amount = is.quantity.Mul(price).RoundBank(2)
	is.movement = is.amount.Neg()
	if t.Side == Sell {
		is.movement = is.amount
	}
	return is, nil
}

// Apply carries the trade out for an account of customer, at the price of the
// quote. It gives the customer as it is then, and the confirmation.
func (t Trade) Apply(rules Rules, customer []byte, id ID, quote Quote) (changed, confirmation []byte, err error) {
	if err := t.Validate(); err != nil {
		return nil, nil, err
	}
	terms, err := t.terms(quote)
	if err != nil {
		return nil, nil, err
	}
	account, _ := findAccount(customer, id)
	if !account.Exists() {
		return nil, nil, NoAccount(id)
	}
	var part [len(tradedAccountNames)]xmldoc.Node
	tradedAccount.Find(account, part[:5])
	tradedDate.Find(part[3], part[5:])
	for i, n := range part {
		if !n.Exists() {
			return nil, nil, invalidf("/Customer/Accounts/Account/"+tradedAccountNames[i], "is missing in the account")
		}
	}

	quantity, amount, movement := terms.quantity, terms.amount, terms.movement
	change := quantity
	if t.Side == Sell {
		change = quantity.Neg()
	}
	var balances [2]decimal.Decimal
	for i, n := range part[1:3] {
		balance, ok := parseDecimal(text(n))
		if !ok {
			return nil, nil, invalidf("/Customer/Accounts/Account/"+tradedAccountNames[1+i], "is not a decimal in the account")
		}
		balances[i] = balance.Add(movement)
		if balances[i].Abs().GreaterThan(balanceLimit) {
			return nil, nil, &Conflict{BalanceLimit, fmt.Sprintf("a balance of account %d would be beyond 10000000000000", id)}
		}
	}
	if rules.Covered && t.Side == Buy && balances[1].Sign() < 0 {
		return nil, nil, &Conflict{NotCovered, fmt.Sprintf("the working balance of account %d does not cover %s", id, money(amount))}
	}

	e := xmldoc.Edit(customer)
	position, err := t.move(e, rules, id, part[4], quote, change)
	if err != nil {
		return nil, nil, err
	}
	now := t.Now.UTC()
	actual, working := money(balances[0]), money(balances[1])
	e.SetText(part[0], now.Format("2006-01-02T15:04:05"))
	e.SetText(part[1], actual)
	e.SetText(part[2], working)
	e.SetText(part[5], now.Format(time.DateOnly))
	e.SetText(part[6], money(movement))
	e.SetText(part[7], working)
	if changed, err = e.Apply(nil); err != nil {
		return nil, nil, err
	}

	confirmation = attribute(root(make([]byte, 0, 512), "Trade_Confirmation", CustAccNS), "ACCOUNT_ID", id.String())
	confirmation = append(confirmation, '>')
	for _, f := range [...]struct{ name, value string }{
		{"Side", string(t.Side)}, {"Symbol", t.Symbol}, {"Quantity", shares(quantity)}, {"Price", quote.LastTrade}, {"Amount", money(amount)},
		{"Position", shares(position)}, {"OnlineActualBal", actual}, {"WorkingBalance", working},
	} {
		confirmation = child(confirmation, f.name, f.value)
	}
	return changed, closed(confirmation, "Trade_Confirmation"), nil
}

// move changes, adds or removes the position in holdings by change, and gives
// what is held then.
func (t Trade) move(e *xmldoc.Editor, rules Rules, id ID, holdings xmldoc.Node, quote Quote, change decimal.Decimal) (held decimal.Decimal, err error) {
	var position, quantity xmldoc.Node
	count := 0
	for p := range positions.All(holdings) {
		count++
		var field [3]xmldoc.Node
		positionParts.Find(p, field[:])
		if !position.Exists() && field[0].Is(t.Symbol) { // of a symbol that stands twice the first counts
			position, quantity = p, field[2]
		}
	}
	if !position.Exists() {
		switch {
		case t.Side == Sell:
			return held, &Conflict{NotHeld, fmt.Sprintf("account %d does not hold %s", id, t.Symbol)}
		case count >= rules.MaxHoldings:
			return held, &Conflict{TooManyHoldings, fmt.Sprintf("account %d has %d holdings, the most that is allowed", id, count)}
		}
		added := root(make([]byte, 0, 256), "Position", CustAccNS)
		added = append(added, '>')
		added = child(added, "Symbol", quote.Symbol)
		added = child(added, "Name", quote.Name)
		added = child(added, "Type", quote.Type)
		added = closed(child(added, "Quantity", shares(change)), "Position")
		e.Append(holdings, xmldoc.Root(added))
		return change, nil
	}
	before, ok := parseDecimal(text(quantity))
	if !ok {
		return held, invalidf("/Customer/Accounts/Account/Holdings/Position/Quantity", "is not a decimal in the account")
	}
	held = before.Add(change)
	switch {
	case t.Side == Sell && held.Sign() < 0:
		return held, &Conflict{TooFewHeld, fmt.Sprintf("account %d holds %s of %s", id, before, t.Symbol)}
	case held.RoundBank(3).IsZero(): // as it would be written
		e.Delete(position)
	default:
		e.SetText(quantity, shares(held))
	}
	return held, nil
}
