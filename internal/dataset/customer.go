package dataset

// NewCustomer has the values of a customer that a caller sets. Zero fields keep the generated value.
type NewCustomer struct {
	ID       int64
	Accounts []int64 // ids; their number is the number of accounts
}

// AppendNewCustomer appends customer i with the values of p, generated as by [Dataset.Append]. i is any number from 0.
// The first position of every account follows the id of the account.
func (d *Dataset) AppendNewCustomer(dst []byte, i int64, p NewCustomer) []byte {
	return d.appendCustomer(dst, i, p, nil)
}

// customerShape determines the size of the customers of a profile.
type customerShape struct {
	activity *codes
	classes  [4]activity
}

// activity is a class of customers. Documents differ in size by an order of magnitude, because all parts grow together.
type activity struct {
	addresses, phones, mails         span
	valueDates, inputters, positions span
}

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

// customerShapes holds the classes quiet, usual, busy and extreme. The numbers are fitted to the mean sizes of the
// scenario; position counts stay well below the 30 that an account may hold, or purchases would be refused.
var customerShapes = [...]customerShape{
	TPoX2: {
		activity: newWeights(118, 102, 33, 3),
		classes: [...]activity{
			{addresses: span{1, 2, true}, phones: span{0, 2, false}, mails: span{0, 2, false},
				valueDates: span{1, 6, false}, inputters: span{1, 4, false}, positions: span{1, 6, true}},
			{addresses: span{1, 3, true}, phones: span{0, 3, false}, mails: span{1, 2, false},
				valueDates: span{2, 9, false}, inputters: span{1, 6, false}, positions: span{1, 13, true}},
			{addresses: span{1, 3, false}, phones: span{1, 3, false}, mails: span{1, 3, false},
				valueDates: span{6, 12, false}, inputters: span{3, 8, false}, positions: span{6, 20, false}},
			{addresses: span{2, 3, false}, phones: span{2, 3, false}, mails: span{2, 3, false},
				valueDates: span{10, 12, false}, inputters: span{10, 24, false}, positions: span{16, 24, false}},
		},
	},
	TPoX1: {
		activity: newWeights(94, 108, 50, 4),
		classes: [...]activity{
			{addresses: span{1, 2, true}, phones: span{0, 2, false}, mails: span{0, 2, false},
				valueDates: span{1, 6, false}, inputters: span{1, 4, false}, positions: span{1, 8, true}},
			{addresses: span{1, 3, true}, phones: span{0, 3, false}, mails: span{1, 2, false},
				valueDates: span{2, 10, false}, inputters: span{1, 6, false}, positions: span{1, 16, true}},
			{addresses: span{1, 3, false}, phones: span{1, 3, false}, mails: span{1, 3, false},
				valueDates: span{6, 12, false}, inputters: span{3, 8, false}, positions: span{6, 21, false}},
			{addresses: span{2, 3, false}, phones: span{2, 3, false}, mails: span{2, 3, false},
				valueDates: span{10, 12, false}, inputters: span{10, 24, false}, positions: span{16, 24, false}},
		},
	},
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
	home   *country // of residence
	money  string   // currency
	since  int      // day on which the customer came
	size   *activity
	clerks [3]person // who work on the accounts
	root   string    // what an Account has that stands alone
}

// customer draws a person and the properties of the accounts.
func (g *gen) customer() customerGen {
	c := customerGen{gen: g}
	c.home = anyCountry(&g.rng)
	nationality := c.home
	if g.percent(12) {
		nationality = anyCountry(&g.rng)
	}
	c.size = &g.d.shape.classes[g.d.shape.activity.index(&g.rng)]
	c.who = somebody(&g.rng, nationality, g.percent(7))
	c.title = g.titleOf(&c.who)
	c.money = c.home.currency
	if g.percent(15) {
		c.money = foreignMoney.pick(&g.rng)
	}
	c.since = horizon - g.between(30, 25*365)
	for i := range c.clerks {
		c.clerks[i] = somebody(&g.rng, anyCountry(&g.rng), false)
	}
	return c
}

// eldest is the birthday of the oldest customers.
var eldest = dayOf(1930, 1, 1)

func (d *Dataset) appendCustomer(dst []byte, k int64, p NewCustomer, slots *[]slot) []byte {
	g := d.gen(dst, forCustomer, k, slots)
	id := d.ID(Customer, k)
	if p.ID != 0 {
		id = p.ID
	}
	c := g.customer()
	c.str(`<Customer xmlns="http://tpox-benchmark.com/custacc" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="`)
	c.open("customer")
	c.int(id)
	c.close()
	c.str(`" xsi:schemaLocation="http://tpox-benchmark.com/custacc custacc.xsd">`)
	c.identity()
	c.contact()
	c.banking()
	c.begin("Accounts")
	if p.Accounts == nil {
		first := d.FirstAccount(k)
		for j := range d.Accounts(k) {
			c.account(first+int64(j), accountSlots[j], 0)
		}
	} else {
		for j, account := range p.Accounts {
			c.account(account, accountSlots[min(j, len(accountSlots)-1)], 0)
		}
	}
	c.end("Accounts")
	c.end("Customer")
	return g.b
}

// identity writes names, birth, nationality and languages.
func (c *customerGen) identity() {
	who := &c.who
	c.begin("Mnemonic")
	c.str(who.last.plain)
	c.str(who.first.plain[:min(5, len(who.first.plain))])
	c.end("Mnemonic")

	c.begin("ShortNames")
	c.nameElem("ShortName", who)
	if c.percent(25) {
		c.begin("ShortName")
		c.char(who.first.plain[0])
		c.str(". ")
		c.str(who.last.in(who.native))
		c.end("ShortName")
	}
	c.end("ShortNames")

	c.begin("Name")
	if c.title != "" {
		c.elem("Title", c.title)
	}
	c.elem("FirstName", who.first.in(who.native))
	for n := 0; n < 3 && c.percent(40); n++ { // the schema ends at ten
		c.elem("MiddleName", c.middle(who).in(who.native))
	}
	c.elem("LastName", who.last.in(who.native))
	if c.percent(4) {
		c.elem("Suffix", suffixes.pick(&c.rng))
	}
	c.end("Name")

	c.begin("DateOfBirth")
	adult := c.since - 18*366
	c.date(c.between(max(eldest, adult-47*365), adult))
	c.end("DateOfBirth")
	if who.female {
		c.elem("Gender", "Female")
	} else {
		c.elem("Gender", "Male")
	}
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
			c.str("<Email")
			c.attr("primary", yes(i == 0))
			c.char('>')
			c.mailAddress(&c.who)
			c.end("Email")
		}
		c.end("EmailAddresses")
	}
	c.end("Addresses")
}

func (c *customerGen) address(in *country, primary bool) {
	native := c.who.native
	at := &in.cities[c.below(len(in.cities))]
	c.str("<Address")
	c.attr("primary", yes(primary))
	c.attr("type", addressTypes.pick(&c.rng))
	c.char('>')

	c.begin("gStreet")
	c.begin("Street")
	c.street(in, native)
	c.end("Street")
	if c.percent(12) {
		c.begin("Street")
		c.str("Apt ")
		c.int(int64(c.between(1, 480)))
		c.end("Street")
	}
	c.end("gStreet")
	if c.percent(20) {
		c.digitsElem("POBox", c.between(3, 5))
	}
	c.elem("City", at.name.in(native))
	c.begin("PostalCode")
	from := len(c.b)
	c.pattern(at.postal)
	upTo := len(c.b)
	c.end("PostalCode")
	c.elem("State", at.region.in(native))
	c.elem("Country", in.name)
	c.begin("CityCountry")
	c.str(at.name.in(native))
	c.char(' ')
	c.b = append(c.b, c.b[from:upTo]...) // the postal code again
	c.str(", ")
	c.str(in.name)
	c.end("CityCountry")

	c.phones(in)
	c.end("Address")
}

func (c *customerGen) phones(in *country) {
	c.begin("Phones")
	for i := range c.in(c.size.phones) {
		c.str("<Phone")
		c.attr("primary", yes(i == 0))
		c.attr("type", phoneTypes.pick(&c.rng))
		c.char('>')
		c.elem("CountryCode", in.dial)
		c.patternElem("AreaCode", in.area)
		c.patternElem("Number", in.local)
		if c.percent(30) {
			c.digitsElem("Extension", 4)
		}
		c.end("Phone")
	}
	c.end("Phones")
}

// banking writes the bank's data of the customer.
func (c *customerGen) banking() {
	c.begin("BankingInfo")
	c.dateElem("CustomerSince", c.since)
	c.elem("PremiumCustomer", yes(c.percent(15)))
	if c.percent(92) {
		c.elem("CustomerStatus", "Active")
	} else {
		c.elem("CustomerStatus", "Inactive")
	}
	c.dateElem("LastContactDate", horizon-c.skewed(0, horizon-c.since))
	c.elem("ReviewFrequency", reviews.pick(&c.rng))

	c.begin("Online")
	c.begin("Login")
	c.char(c.who.first.plain[0])
	c.str(c.who.last.plain)
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

// secret writes an element with encrypted content, which cannot be compressed.
func (c *customerGen) secret(name string) {
	c.begin(name)
	c.str(`<EncryptedData Type="http://www.w3.org/2001/04/xmlenc#Content"><CipherData><CipherValue>`)
	c.chars(base64Alphabet, 20)
	c.str("</CipherValue></CipherData></EncryptedData>")
	c.end(name)
}

func yes(b bool) string {
	if b {
		return "Yes"
	}
	return "No"
}
