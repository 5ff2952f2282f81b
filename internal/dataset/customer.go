package dataset

import "cmp"

// NewCustomer has the values of a customer that a caller sets. Zero fields keep the generated value.
type NewCustomer struct {
	ID       int64
	Accounts []int64 // ids; their number is the number of accounts

	slots *[]slot
}

// activity is a class of customers. Documents differ in size by an order of magnitude, because all parts grow together.
type activity struct{ addresses, phones, mails, valueDates, inputters, positions span }

// span is a range to draw from, both ends included. A skewed one gives its lower half more often.
type span struct {
	lo, hi int
	skewed bool
}

func (g *gen) in(s span) int {
	if s.skewed {
		return g.skewed(s.lo, s.hi)
	}
	return g.between(s.lo, s.hi)
}

// customerShapes determines the sizes of the customers of a profile: the weights of the classes quiet, usual, busy and
// extreme, and the classes. The numbers are fitted to the mean sizes of the scenario; position counts stay well below
// the 30 that an account may hold, or purchases would be refused.
var customerShapes = [...]struct {
	weights *codes
	classes [4]activity
}{
	TPoX2: {newWeights(118, 102, 33, 3), [...]activity{
		{span{1, 2, true}, span{0, 2, false}, span{0, 2, false}, span{1, 6, false}, span{1, 4, false}, span{1, 6, true}},
		{span{1, 3, true}, span{0, 3, false}, span{1, 2, false}, span{2, 9, false}, span{1, 6, false}, span{1, 13, true}},
		{span{1, 3, false}, span{1, 3, false}, span{1, 3, false}, span{6, 12, false}, span{3, 8, false}, span{6, 20, false}},
		extreme,
	}},
	TPoX1: {newWeights(94, 108, 50, 4), [...]activity{
		{span{1, 2, true}, span{0, 2, false}, span{0, 2, false}, span{1, 6, false}, span{1, 4, false}, span{1, 8, true}},
		{span{1, 3, true}, span{0, 3, false}, span{1, 2, false}, span{2, 10, false}, span{1, 6, false}, span{1, 16, true}},
		{span{1, 3, false}, span{1, 3, false}, span{1, 3, false}, span{6, 12, false}, span{3, 8, false}, span{6, 21, false}},
		extreme,
	}},
}

var extreme = activity{
	span{2, 3, false}, span{2, 3, false}, span{2, 3, false}, span{10, 12, false}, span{10, 24, false}, span{16, 24, false},
}

var (
	addressTypes = newCodes("Home:6 Work:3 Temporary:2 Mailing:2 Business")
	phoneTypes   = newCodes("Home:5 Work:4 Mobile:5 Fax:2 Temporary")
	reviews      = newCodes("Monthly:4 Quarterly:4 Yearly:3 Weekly Daily Never")
	foreignMoney = newCodes("USD:10 EUR:8 GBP:3 JPY:3 CHF:3 CAD AUD SEK")
)

// customerGen writes customers. It holds what is drawn once and used in several places.
type customerGen struct {
	*gen
	who    person
	title  string   // "" for none
	home   *country // country of residence
	money  string   // currency
	since  int      // day on which the customer came
	size   *activity
	clerks [3]person // the bank's staff for the accounts
	root   string    // namespace declaration of an Account that is a document of its own
}

// customer draws a person and the properties of the accounts.
func (g *gen) customer() customerGen {
	c, shape := customerGen{gen: g}, &customerShapes[g.d.spec.Profile]
	c.home = anyCountry(&g.rng)
	nationality := c.home
	if g.percent(12) {
		nationality = anyCountry(&g.rng)
	}
	c.size = &shape.classes[g.index(shape.weights)]
	c.who = somebody(&g.rng, nationality, g.percent(7))
	switch {
	case g.percent(4):
	case c.who.female:
		c.title = g.pick(titlesOfWomen)
	default:
		c.title = g.pick(titlesOfMen)
	}
	c.money = c.home.currency
	if g.percent(15) {
		c.money = g.pick(foreignMoney)
	}
	c.since = horizon - g.between(30, 25*365)
	for i := range c.clerks {
		c.clerks[i] = somebody(&g.rng, anyCountry(&g.rng), false)
	}
	return c
}

// eldest is the earliest date of birth.
var eldest = dayOf(1930, 1, 1)

// AppendNewCustomer appends customer k, as [Dataset.Append] does, but with the values that p sets. k is any number from
// 0. The first position of every account follows from the account's id.
func (d *Dataset) AppendNewCustomer(dst []byte, k int64, p NewCustomer) []byte {
	g := d.gen(dst, forCustomer, k, p.slots)
	c := g.customer()
	c.str(`<Customer xmlns="http://tpox-benchmark.com/custacc" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="`)
	c.idSlot("customer", cmp.Or(p.ID, d.ID(Customer, k)))
	c.str(`" xsi:schemaLocation="http://tpox-benchmark.com/custacc custacc.xsd">`)
	c.identity()
	c.contact()
	c.banking()
	c.begin("Accounts")
	n, first := d.Accounts(k), d.FirstAccount(k)
	if p.Accounts != nil {
		n = len(p.Accounts)
	}
	for j := range n {
		id := first + int64(j)
		if p.Accounts != nil {
			id = p.Accounts[j]
		}
		c.account(id, accountSlots[min(j, len(accountSlots)-1)], 0)
	}
	c.end("Accounts")
	c.end("Customer")
	return g.b
}

func (c *customerGen) nameElem(name string, p *person) { c.elem(name, p.first, " ", p.last) }

// identity writes names, birth, nationality and languages.
func (c *customerGen) identity() {
	who := &c.who
	c.elem("Mnemonic", who.plainLast, who.plainFirst[:min(5, len(who.plainFirst))])
	c.begin("ShortNames")
	c.nameElem("ShortName", who)
	if c.percent(25) {
		c.elem("ShortName", who.plainFirst[:1], ". ", who.last)
	}
	c.end("ShortNames")

	c.begin("Name")
	if c.title != "" {
		c.elem("Title", c.title)
	}
	c.elem("FirstName", who.first)
	for n := 0; n < 3 && c.percent(40); n++ { // the schema allows ten at most
		c.elem("MiddleName", who.given(&c.rng).in(who.native))
	}
	c.elem("LastName", who.last)
	if c.percent(4) {
		c.elem("Suffix", c.pick(suffixes))
	}
	c.end("Name")

	adult := c.since - 18*366
	c.dateElem("DateOfBirth", c.between(max(eldest, adult-47*365), adult))
	c.elem("Gender", either(who.female, "Female", "Male"))
	c.elem("Nationality", who.from.nationality)
	c.elem("CountryOfResidence", c.home.name)
	c.begin("Languages")
	for i, language := range who.from.languages {
		if i == 0 || c.percent(35) {
			c.elem("Language", language)
		}
	}
	c.end("Languages")
}

// contact writes addresses, the primary one in the country of residence, and e-mail addresses.
func (c *customerGen) contact() {
	c.begin("Addresses")
	for i := range c.in(c.size.addresses) {
		country := c.home
		if i > 0 && c.percent(12) {
			country = anyCountry(&c.rng)
		}
		c.address(country, i == 0)
	}
	mails := c.in(c.size.mails)
	if mails > 0 || c.percent(50) {
		c.begin("EmailAddresses")
		for i := range mails {
			c.str(`<Email primary="`, yes(i == 0), `">`)
			switch c.below(5) { // the usual forms of an address
			case 0:
				c.str(c.who.plainFirst[:1], c.who.plainLast)
			case 1:
				c.str(c.who.plainLast)
				c.int(int64(c.between(1, 99)))
			case 2:
				c.str(c.who.plainFirst, "_", c.who.plainLast)
			default:
				c.str(c.who.plainFirst, ".", c.who.plainLast)
			}
			c.str("@", one(&c.rng, mailHosts), ".")
			if c.percent(45) {
				c.str(c.who.from.tld)
			} else {
				c.str(c.pick(mailDomains))
			}
			c.end("Email")
		}
		c.end("EmailAddresses")
	}
	c.end("Addresses")
}

func (c *customerGen) address(in *country, primary bool) {
	at := &in.cities[c.below(len(in.cities))]
	city := at.name.in(c.who.native)
	c.str(`<Address primary="`, yes(primary), `" type="`, c.pick(addressTypes), `"><gStreet><Street>`)
	for i := range len(in.street) { // street and number, in the country's order
		switch in.street[i] {
		case '#':
			c.int(int64(1 + c.skewed(0, 60)*c.skewed(1, 40)))
		case '*':
			c.str(in.streets[c.below(len(in.streets))].in(c.who.native))
		default:
			c.char(in.street[i])
		}
	}
	c.end("Street")
	if c.percent(12) {
		c.str("<Street>Apt ")
		c.int(int64(c.between(1, 480)))
		c.end("Street")
	}
	c.end("gStreet")
	if c.percent(20) {
		c.digitsElem("POBox", c.between(3, 5))
	}
	c.elem("City", city)
	postal := c.patternElem("PostalCode", at.postal)
	c.elem("State", at.region.in(c.who.native))
	c.elem("Country", in.name)
	c.str("<CityCountry>", city, " ")
	c.b = append(c.b, postal...)
	c.str(", ", in.name, "</CityCountry>")

	c.begin("Phones")
	for i := range c.in(c.size.phones) {
		c.str(`<Phone primary="`, yes(i == 0), `" type="`, c.pick(phoneTypes), `">`)
		c.elem("CountryCode", in.dial)
		c.patternElem("AreaCode", in.area)
		c.patternElem("Number", in.local)
		if c.percent(30) {
			c.digitsElem("Extension", 4)
		}
		c.end("Phone")
	}
	c.end("Phones")
	c.end("Address")
}

// banking writes the bank's data of the customer.
func (c *customerGen) banking() {
	c.begin("BankingInfo")
	c.dateElem("CustomerSince", c.since)
	c.elem("PremiumCustomer", yes(c.percent(15)))
	c.elem("CustomerStatus", either(c.percent(92), "Active", "Inactive"))
	c.dateElem("LastContactDate", horizon-c.skewed(0, horizon-c.since))
	c.elem("ReviewFrequency", c.pick(reviews))

	c.str("<Online><Login>", c.who.plainFirst[:1], c.who.plainLast)
	if c.percent(60) {
		c.int(int64(c.between(1, 9999)))
	}
	c.end("Login")
	c.secret("Pin")
	c.secret("Trading-password")
	c.end("Online")

	c.begin("Tax")
	if c.percent(30) {
		c.digitsElem("TaxID", 9)
	}
	if c.percent(85) {
		c.secret("SSN")
	}
	c.decimalElem("TaxRate", int64(c.between(0, 45)), 2)
	c.end("Tax")
	c.elem("Currency", c.money)
	c.end("BankingInfo")
}

// secret writes an element with random characters, which compress as little as encrypted content.
func (c *customerGen) secret(name string) {
	c.begin(name)
	c.str(`<EncryptedData Type="http://www.w3.org/2001/04/xmlenc#Content"><CipherData><CipherValue>`)
	c.chars(base64Alphabet, 20)
	c.str("</CipherValue></CipherData></EncryptedData></", name, ">")
}

type person struct {
	from                  *country // nationality
	female                bool
	native                bool   // whether the names are spelt with the letters of the language
	first, last           string // in that spelling
	plainFirst, plainLast string
}

var (
	titlesOfMen   = newCodes("Mr:60 Dr:6 Prof:2 Sir")
	titlesOfWomen = newCodes("Mrs:34 Ms:24 Miss:4 Dr:5 Prof")
	suffixes      = newCodes("Jr:8 Sr:4 II:3 III:3 PhD:2 MD:2 Esq")

	mailHosts   = lists.list("mail hosts")
	mailDomains = newCodes("com:10 net:4 org:2 edu info co")
)

// somebody draws a person of a country.
func somebody(r *rng, c *country, native bool) person {
	p := person{from: c, female: r.percent(48), native: native}
	first, last := p.given(r), &c.last[r.below(len(c.last))]
	p.first, p.last = first.in(native), last.in(native)
	p.plainFirst, p.plainLast = first.plain, last.plain
	return p
}

// given draws a given name.
func (p *person) given(r *rng) *word {
	names := p.from.male
	if p.female {
		names = p.from.female
	}
	return &names[r.below(len(names))]
}

// anyCountry draws a country in proportion to the customers who live there.
func anyCountry(r *rng) *country { return &countries[r.index(residence)] }
