package dataset

import "time"

// NewAccount has the values of an account that a caller sets. Zero fields keep the generated value.
type NewAccount struct {
	ID   int64
	Time time.Time // of the last update. From 1970 to 9999.
}

// AppendNewAccount appends an Account element alone, as a client sends it to open an account. i is any number from 0;
// the same i gives the same account. Without an id in p, the account has the first id of customer i.
func (d *Dataset) AppendNewAccount(dst []byte, i int64, p NewAccount) []byte {
	return d.appendAccount(dst, i, p, nil)
}

func (d *Dataset) appendAccount(dst []byte, i int64, p NewAccount, slots *[]slot) []byte {
	g := d.gen(dst, forAccount, i, slots)
	id := d.FirstAccount(i)
	if p.ID != 0 {
		id = p.ID
	}
	updated := 0
	if !p.Time.IsZero() {
		updated = int(p.Time.Unix())
	}
	c := g.customer()
	c.root = ` xmlns="http://tpox-benchmark.com/custacc"`
	c.account(id, accountSlots[0], updated)
	return g.b
}

// accountSlots are the names of the slots for the ids of a customer's accounts.
var accountSlots = [...]string{"account", "account2", "account3"}

// maxPositions is more than any activity class has.
const maxPositions = 24

// account writes an Account. updated is the time of its last update, in seconds since 1970, or 0 for a generated one.
func (c *customerGen) account(id int64, slotName string, updated int) {
	money := c.money
	if c.percent(25) {
		money = foreignMoney.pick(&c.rng)
	}
	opened := c.since + c.skewed(0, horizon-c.since-2)
	last := (horizon-c.skewed(0, horizon-opened-1))*secondsPerDay - c.between(1, secondsPerDay)
	if updated == 0 {
		updated = last
	}

	c.str("<Account")
	c.str(c.root)
	c.str(` id="`)
	c.open(slotName)
	c.int(id)
	c.close()
	c.str(`">`)
	c.intElem("Category", int64(c.between(1, 40)))
	c.accountNames(money)
	c.elem("Currency", money)
	c.intElem("CurrencyMarket", int64(c.between(1, 9)))
	c.dateElem("OpeningDate", opened)
	c.nameElem("AccountOfficer", &c.clerks[0])
	c.begin("LastUpdate")
	c.open("datetime")
	c.dateTime(updated)
	c.close()
	c.end("LastUpdate")
	c.statement(opened, min(last, updated)/secondsPerDay)
	c.elem("ChargeCcy", money)
	c.elem("InterestCcy", money)
	c.elem("AllowNetting", yes(c.percent(70)))
	c.begin("gInputter")
	for range c.in(c.size.inputters) {
		c.nameElem("Inputter", &c.clerks[c.below(len(c.clerks))])
	}
	c.end("gInputter")
	c.holdings(id)
	c.end("Account")
}

// accountNames writes what an account in a currency is called.
func (c *customerGen) accountNames(money string) {
	c.begin("AccountTitle")
	if c.title != "" {
		c.str(c.title)
		c.char(' ')
	}
	c.fullName(&c.who)
	c.char(' ')
	c.str(money)
	c.end("AccountTitle")
	c.begin("ShortTitle")
	c.str(c.who.last.in(c.who.native))
	c.char(' ')
	c.str(money)
	c.end("ShortTitle")
	c.begin("Mnemonic")
	c.str(c.who.last.plain)
	c.str(money)
	c.end("Mnemonic")
}

// statement writes balances and value dates, the newest first. They are consistent: the newest balance is the working
// balance, and each earlier one lacks the movements after it.
func (c *customerGen) statement(opened, day int) {
	actual := c.balance()
	cleared := actual - actual*int64(c.skewed(0, 999))/10_000
	balance := actual - actual*int64(c.skewed(0, 999))/10_000

	c.begin("Balance")
	c.decimalElem("OnlineActualBal", actual, 2)
	c.decimalElem("OnlineClearedBal", cleared, 2)
	c.decimalElem("WorkingBalance", balance, 2)
	c.end("Balance")
	c.elem("Passbook", yes(c.percent(30)))

	c.begin("gValueDate")
	n := c.in(c.size.valueDates)
	step := 2*max(day-opened, 0)/(n+1) + 1
	for range n {
		movement := int64(c.skewed(1000, int(balance/4)))
		if c.percent(35) {
			movement = -movement
		}
		c.begin("mValueDate")
		c.dateElem("ValueDate", day)
		c.decimalElem("CreditMovement", movement, 2)
		c.decimalElem("ValueDatedBal", balance, 2)
		c.end("mValueDate")
		balance -= movement
		day -= c.below(step)
	}
	c.end("gValueDate")
}

// balance draws an amount in cents: mostly below half a million, some far above, and never so small that a few
// purchases would use it up.
func (c *customerGen) balance() int64 {
	const unit = 5_000_000
	lo, hi := unit, 10*unit
	switch c.below(10) {
	case 0:
		lo, hi = 40*unit, 200*unit
	case 1, 2, 3:
		lo, hi = 10*unit, 40*unit
	}
	return int64(c.between(lo, hi))
}

// holdings writes the positions of an account, no security twice. The first one follows from the account id, so that a
// client that knows the id knows a symbol that it can sell.
func (c *customerGen) holdings(account int64) {
	var held [maxPositions]int32
	n := min(c.in(c.size.positions), len(held))
	c.begin("Holdings")
	for i := range n {
		var security, quantity int
		if i == 0 {
			security = int(account % int64(c.d.securities))
			quantity = 1_000_000 + c.skewed(0, 8_999_999)
		} else {
			security = c.another(held[:i])
			quantity = c.skewed(1000, 4_999_999)
		}
		held[i] = int32(security)
		c.position(security, quantity)
	}
	c.end("Holdings")
}

// another draws a security that is not held yet, popular ones more often.
func (c *customerGen) another(held []int32) int {
	security := c.d.popular.draw(&c.rng)
	for isHeld(held, security) {
		security = c.below(c.d.securities)
	}
	return security
}

func isHeld(held []int32, security int) bool {
	for _, h := range held {
		if int(h) == security {
			return true
		}
	}
	return false
}

func (c *customerGen) position(security, thousandths int) {
	c.begin("Position")
	c.begin("Symbol")
	c.b = AppendSymbol(c.b, security)
	c.end("Symbol")
	c.begin("Name")
	c.b = append(c.b, c.d.names.at(security)...)
	c.end("Name")
	c.elem("Type", typeName(typeOf(security)))
	c.decimalElem("Quantity", int64(thousandths), 3)
	c.end("Position")
}
