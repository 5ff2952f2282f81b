package dataset

import (
	"cmp"
	"slices"
	"time"
)

// NewAccount has the values of an account that a caller sets. Zero fields keep the generated value.
type NewAccount struct {
	ID   int64
	Time time.Time // of the last update. From 1970 to 9999.

	slots *[]slot
}

// AppendNewAccount appends an Account element alone, as a client sends it to open an account. i is any number from 0;
// the same i gives the same account. If p.ID is 0, the account has the id of the first account of customer i.
func (d *Dataset) AppendNewAccount(dst []byte, i int64, p NewAccount) []byte {
	g := d.gen(dst, forAccount, i, p.slots)
	updated := 0
	if !p.Time.IsZero() {
		updated = int(p.Time.Unix())
	}
	c := g.customer()
	c.root = ` xmlns="http://tpox-benchmark.com/custacc"`
	c.account(cmp.Or(p.ID, d.FirstAccount(i)), accountSlots[0], updated)
	return g.b
}

// accountSlots are the names of the slots for the ids of a customer's accounts.
var accountSlots = [...]string{"account", "account2", "account3"}

// maxPositions is the largest number of positions of any activity class.
const maxPositions = 24

// account writes an Account. updated is the time of its last update, in seconds since 1970, or 0 for a generated one.
func (c *customerGen) account(id int64, slotName string, updated int) {
	money := c.money
	if c.percent(25) {
		money = c.pick(foreignMoney)
	}
	opened := c.since + c.skewed(0, horizon-c.since-2)
	last := (horizon-c.skewed(0, horizon-opened-1))*secondsPerDay - c.between(1, secondsPerDay)
	updated = cmp.Or(updated, last)

	c.str("<Account", c.root, ` id="`)
	c.idSlot(slotName, id)
	c.str(`">`)
	c.begin("Category")
	c.int(int64(c.between(1, 40)))
	c.end("Category")
	c.begin("AccountTitle")
	if c.title != "" {
		c.str(c.title, " ")
	}
	c.str(c.who.first, " ", c.who.last, " ", money)
	c.end("AccountTitle")
	c.elem("ShortTitle", c.who.last, " ", money)
	c.elem("Mnemonic", c.who.plainLast, money)
	c.elem("Currency", money)
	c.begin("CurrencyMarket")
	c.int(int64(c.between(1, 9)))
	c.end("CurrencyMarket")
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

// statement writes balances and value dates, the newest first. They are consistent: the newest balance is the working
// balance, and each earlier one lacks the movements after it.
func (c *customerGen) statement(opened, day int) {
	// In units of 50,000.00: 60 % of balances are up to 500,000.00, and none so small that a few purchases use it up.
	lo, hi := 1, 10
	switch c.below(10) {
	case 0:
		lo, hi = 40, 200
	case 1, 2, 3:
		lo, hi = 10, 40
	}
	actual := int64(c.between(lo*5_000_000, hi*5_000_000))
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

// holdings writes the positions of an account, no security twice. The first one follows from the account id, so that
// the id is enough to find a symbol to sell. The others are drawn, popular securities more often.
func (c *customerGen) holdings(account int64) {
	var held [maxPositions]int
	n := min(c.in(c.size.positions), len(held))
	c.begin("Holdings")
	for i := range n {
		security := int(account % int64(c.d.securities))
		var quantity int
		if i == 0 {
			quantity = 1_000_000 + c.skewed(0, 8_999_999)
		} else {
			security = c.d.popular.draw(&c.rng)
			for slices.Contains(held[:i], security) {
				security = c.below(c.d.securities)
			}
			quantity = c.skewed(1000, 4_999_999)
		}
		held[i] = security

		c.begin("Position")
		c.begin("Symbol")
		c.b = appendSymbol(c.b, security)
		c.end("Symbol")
		c.begin("Name")
		c.b = append(c.b, c.d.names.at(security)...)
		c.end("Name")
		c.elem("Type", typeNames[typeOf(security)])
		c.decimalElem("Quantity", int64(quantity), 3)
		c.end("Position")
	}
	c.end("Holdings")
}
