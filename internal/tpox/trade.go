package tpox

import (
	"cmp"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"brokerage/internal/schema"
	"brokerage/internal/xmldoc"
)

// Side is the direction of a trade.
type Side string

const (
	Buy  Side = "Buy"
	Sell Side = "Sell"
)

// Trade is a purchase or a sale for an account, which is carried out at once at the security's last price.
type Trade struct {
	Side     Side
	Symbol   string
	Quantity string // a decimal above 0, of at most 3 places
	Now      time.Time
}

var (
	tradeBody  = schema.Body("custacc-messages.xsd", "Trade")
	tradeParts = paths("c:Trade/c:Symbol", "c:Trade/c:Quantity")
)

// ReadTrade reads the body of buy_security or sell_security. The error is *Invalid.
func ReadTrade(body []byte, side Side, now time.Time) (t Trade, err error) {
	if err := validate(tradeBody(), body); err != nil {
		return t, err
	}
	var part [2]xmldoc.Node
	tradeParts.Find(xmldoc.Document(body), part[:])
	return Trade{Side: side, Symbol: text(part[0]), Quantity: decimalText(part[1]), Now: now}, nil
}

// Validate checks side and quantity. The error is *Invalid.
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

// Rules are the limits that a brokerage sets.
type Rules struct {
	MaxHoldings int  // positions of an account, at least 1
	MaxCustomer int  // bytes beyond which no customer grows: the cost of a transaction is in proportion to them
	Covered     bool // refuse a buy that the working balance does not cover
}

// DefaultRules allow trades on margin, as TPoX does. The largest customer of the benchmark has 23 kB.
var DefaultRules = Rules{MaxHoldings: 30, MaxCustomer: 128 << 10}

// WithDefaults returns the rules with the defaults for limits that are 0.
func (r Rules) WithDefaults() Rules {
	r.MaxHoldings = cmp.Or(r.MaxHoldings, DefaultRules.MaxHoldings)
	r.MaxCustomer = cmp.Or(r.MaxCustomer, DefaultRules.MaxCustomer)
	return r
}

// CheckGrowth returns *Conflict for a change of a customer from one size to another that is beyond the limit. A
// customer that is stored with more bytes may change, but not grow.
func (r Rules) CheckGrowth(fromBytes, toBytes int) error {
	if toBytes <= r.MaxCustomer || toBytes <= fromBytes {
		return nil
	}
	return &Conflict{CustomerLimit, fmt.Sprintf(
		"the customer would have %d bytes, more than the limit of %d", toBytes, r.MaxCustomer)}
}

// Quote is the part of a security that a trade needs, as the document has it.
type Quote struct {
	Symbol, Name, Type, LastTrade string
}

var quoteParts = paths(
	"s:Security/s:Symbol", "s:Security/s:Name", "s:Security/s:SecurityType", "s:Security/s:Price[1]/s:LastTrade",
)

// QuoteOf reads the quote of a security.
func QuoteOf(security []byte) Quote {
	var part [4]xmldoc.Node
	quoteParts.Find(xmldoc.Document(security), part[:])
	return Quote{text(part[0]), text(part[1]), text(part[2]), text(part[3])}
}

// Terms are the amounts of a trade at a price, as documents have them, for a store that edits documents itself.
type Terms struct {
	Quantity string // three places
	Amount   string // two places, 0 or more
	Movement string // of the balances: Amount, negative for a purchase
}

// TermsAt returns the amounts of the trade at the price of the quote. The error is *Invalid, also for an amount that
// rounds to 0.00 at a price above 0.
func (t Trade) TermsAt(quote Quote) (Terms, error) {
	exact, err := t.exactTermsAt(quote)
	if err != nil {
		return Terms{}, err
	}
	return Terms{Quantity: shares(exact.quantity), Amount: money(exact.amount), Movement: money(exact.movement)}, nil
}

// exactTerms are Terms as numbers.
type exactTerms struct{ quantity, amount, movement decimal.Decimal }

func (t Trade) exactTermsAt(quote Quote) (exact exactTerms, err error) {
	if exact.quantity, err = t.quantity(); err != nil {
		return exact, err
	}
	price, ok := parseDecimal(quote.LastTrade)
	if !ok || price.Sign() < 0 {
		return exact, invalidf("/Security/Price/LastTrade", "the security has no valid price")
	}
	// Rounded first, so that balances and confirmation agree.
	exact.amount = exact.quantity.Mul(price).RoundBank(2)
	if exact.amount.IsZero() && price.Sign() > 0 {
		// Amounts up to 0.005 round to 0.00 (half to even): those of up to 5/price thousandths of a share.
		thousandths, _ := decimal.New(5, 0).QuoRem(price, 0)
		least := thousandths.Add(decimal.New(1, 0)).Shift(-3)
		return exact, invalidf("/Trade/Quantity",
			"the amount would round to 0.00: at the price of %s, %s is the least quantity",
			price, shares(least))
	}
	exact.movement = exact.amount.Neg()
	if t.Side == Sell {
		exact.movement = exact.amount
	}
	return exact, nil
}

// Apply carries the trade out for an account of a customer, at the price of the quote. It returns the changed customer
// and the confirmation, or *NotFound, *Invalid or *Conflict.
func (t Trade) Apply(rules Rules, customer []byte, id ID, quote Quote) (changed, confirmation []byte, err error) {
	if err := t.Validate(); err != nil {
		return nil, nil, err
	}
	terms, err := t.exactTermsAt(quote)
	if err != nil {
		return nil, nil, err
	}
	account, err := tradingAccountOf(customer, id)
	if err != nil {
		return nil, nil, err
	}
	actual, err := account.balance(actualBalance, terms.movement)
	if err != nil {
		return nil, nil, err
	}
	working, err := account.balance(workingBalance, terms.movement)
	if err != nil {
		return nil, nil, err
	}
	if rules.Covered && t.Side == Buy && working.Sign() < 0 {
		return nil, nil, &Conflict{NotCovered, fmt.Sprintf(
			"the working balance of account %d does not cover %s", id, money(terms.amount))}
	}

	e := xmldoc.Edit(customer)
	position, err := t.move(e, rules, account, quote, terms.quantity)
	if err != nil {
		return nil, nil, err
	}
	now, movement, actualText, workingText := t.Now.UTC(), money(terms.movement), money(actual), money(working)
	e.SetText(account.part[lastUpdate], now.Format("2006-01-02T15:04:05"))
	e.SetText(account.part[actualBalance], actualText)
	e.SetText(account.part[workingBalance], workingText)
	e.SetText(account.part[valueDate], now.Format(time.DateOnly))
	e.SetText(account.part[creditMovement], movement)
	e.SetText(account.part[valueDatedBalance], workingText)
	if changed, err = e.Apply(nil); err != nil {
		return nil, nil, err
	}
	if err := rules.CheckGrowth(len(customer), len(changed)); err != nil {
		return nil, nil, err
	}
	dst := xmldoc.AppendStart(make([]byte, 0, 512), "Trade_Confirmation", "xmlns", CustAccNS, "ACCOUNT_ID", id.String())
	dst = fields(dst, field{"Side", string(t.Side)}, field{"Symbol", t.Symbol},
		field{"Quantity", shares(terms.quantity)}, field{"Price", quote.LastTrade}, field{"Amount", money(terms.amount)},
		field{"Position", shares(position)}, field{"OnlineActualBal", actualText}, field{"WorkingBalance", workingText})
	return changed, append(dst, "</Trade_Confirmation>"...), nil
}

// tradingAccount is an account with the parts that a trade reads or changes.
type tradingAccount struct {
	id   ID
	part [len(tradingParts)]xmldoc.Node
}

// The parts of an account that a trade reads or changes; the parts of its first value date come last.
const (
	lastUpdate = iota
	actualBalance
	workingBalance
	firstValueDate
	holdings
	valueDate
	creditMovement
	valueDatedBalance
)

var tradingParts = [...]string{"LastUpdate", "Balance/OnlineActualBal", "Balance/WorkingBalance",
	"gValueDate/mValueDate", "Holdings", "gValueDate/mValueDate/ValueDate", "gValueDate/mValueDate/CreditMovement",
	"gValueDate/mValueDate/ValueDatedBal"}

var (
	partsOfAccount = paths("c:LastUpdate", "c:Balance[1]/c:OnlineActualBal", "c:Balance[1]/c:WorkingBalance",
		"c:gValueDate[1]/c:mValueDate", "c:Holdings")
	partsOfValueDate = paths("c:ValueDate", "c:CreditMovement", "c:ValueDatedBal")
)

// tradingAccountOf returns an account of a customer, *NotFound if there is none of that id, or *Invalid if it lacks a
// part.
func tradingAccountOf(customer []byte, id ID) (a tradingAccount, err error) {
	account, _ := findAccount(customer, id)
	if !account.Exists() {
		return a, NoAccount(id)
	}
	a.id = id
	partsOfAccount.Find(account, a.part[:valueDate])
	partsOfValueDate.Find(a.part[firstValueDate], a.part[valueDate:])
	for i, n := range a.part {
		if !n.Exists() {
			return a, invalidf("/Customer/Accounts/Account/"+tradingParts[i], "is missing in the account")
		}
	}
	return a, nil
}

// balance returns a balance after the movement, *Invalid if it is not a decimal, or *Conflict if over the limit.
func (a *tradingAccount) balance(part int, movement decimal.Decimal) (decimal.Decimal, error) {
	before, ok := parseDecimal(text(a.part[part]))
	if !ok {
		return before, invalidf("/Customer/Accounts/Account/"+tradingParts[part], "is not a decimal in the account")
	}
	after := before.Add(movement)
	if after.Abs().GreaterThan(balanceLimit) {
		return after, &Conflict{BalanceLimit, fmt.Sprintf(
			"a balance of account %d would exceed the limit of 10000000000000", a.id)}
	}
	return after, nil
}

// move adds the quantity to the position in the account's holdings, or subtracts it for a sale. It creates or removes
// the position if necessary, and returns the quantity that the account then holds.
func (t Trade) move(
	e *xmldoc.Editor, rules Rules, a tradingAccount, quote Quote, change decimal.Decimal,
) (held decimal.Decimal, err error) {
	if t.Side == Sell {
		change = change.Neg()
	}
	var position, quantity xmldoc.Node
	count := 0
	for p := range positions.All(a.part[holdings]) {
		count++
		var part [3]xmldoc.Node
		positionParts.Find(p, part[:])
		if !position.Exists() && part[0].Is(t.Symbol) { // the first of a symbol counts
			position, quantity = p, part[2]
		}
	}
	if !position.Exists() {
		switch {
		case t.Side == Sell:
			return held, &Conflict{NotHeld, fmt.Sprintf("account %d does not hold %s", a.id, t.Symbol)}
		case count >= rules.MaxHoldings:
			return held, &Conflict{TooManyHoldings, fmt.Sprintf(
				"account %d has %d holdings, the most that is allowed", a.id, count)}
		}
		dst := xmldoc.AppendStart(make([]byte, 0, 256), "Position", "xmlns", CustAccNS)
		dst = fields(dst, field{"Symbol", quote.Symbol}, field{"Name", quote.Name}, field{"Type", quote.Type},
			field{"Quantity", shares(change)})
		e.Append(a.part[holdings], xmldoc.Root(append(dst, "</Position>"...)))
		return change, nil
	}
	before, ok := parseDecimal(text(quantity))
	if !ok {
		return held, invalidf("/Customer/Accounts/Account/Holdings/Position/Quantity", "is not a decimal in the account")
	}
	held = before.Add(change)
	switch {
	case t.Side == Sell && held.Sign() < 0:
		return held, &Conflict{TooFewHeld, fmt.Sprintf("account %d holds %s of %s", a.id, before, t.Symbol)}
	case held.RoundBank(3).IsZero(): // rounded as it would be written
		e.Delete(position)
	default:
		e.SetText(quantity, shares(held))
	}
	return held, nil
}
