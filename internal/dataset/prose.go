package dataset

// prose is what the sentences of a description have in common. Business prose keeps returning to the same few products,
// people and places; without that, a description would compress worse than a real one.
type prose struct {
	chief person // the chief executive, or the manager of a fund

	products, customers, inputs, brands, rivals, people  cast
	cities, countries, regions, indexes, ratings, assets cast
	qualities, months, dates                             cast
}

// cast is a few members of a vocabulary that are used in turn, with random omissions, so that none is mentioned twice
// in a row.
type cast struct{ start, step, size, at int }

func newCast(r *rng, size int) cast {
	return cast{start: r.below(1 << 20), step: one(r, bigPrimes[:]), size: size, at: r.below(size)}
}

// next returns the next member of a vocabulary of length n.
func (c *cast) next(r *rng, n int) int {
	c.at = (c.at + 1 + r.below(2)) % c.size
	return (c.start + c.at*c.step) % n
}

func newProse(r *rng) prose {
	return prose{
		chief:    somebody(r, anyCountry(r), false),
		products: newCast(r, 4), customers: newCast(r, 3), inputs: newCast(r, 3), brands: newCast(r, 3),
		rivals: newCast(r, 4), people: newCast(r, 3), cities: newCast(r, 3), countries: newCast(r, 3),
		regions: newCast(r, 3), indexes: newCast(r, 3), ratings: newCast(r, 3), assets: newCast(r, 4),
		qualities: newCast(r, 3), months: newCast(r, 3), dates: newCast(r, 3),
	}
}

// bigPrimes have no common divisor with the length of any vocabulary or grammar: with one of them as step, a walk
// visits every member before it repeats one.
var bigPrimes = [...]int{211, 223, 227, 229, 233, 239, 241, 257, 263, 269, 271, 277, 281, 283, 293, 307}

// description writes the mixed content: a business summary, or the description of a fund and mostly of its management.
// Its length makes the document 2 to 10 KB.
func (s *securityGen) description() {
	s.prose = newProse(&s.rng)
	s.begin("Description")
	length := 1440 + s.between(0, 3430) + s.between(0, 3430)
	switch s.kind {
	case 'S':
		s.begin("BusinessSummary")
		s.text(companyOpenings, companySentences, length)
		s.end("BusinessSummary")
	case 'B':
		s.begin("BusinessSummary")
		s.text(bondOpenings, companySentences, length)
		s.end("BusinessSummary")
	default:
		s.begin("FundDescription")
		managed := s.percent(80)
		if managed {
			length -= 600
		}
		s.text(fundOpenings, fundSentences, length)
		s.end("FundDescription")
		if managed {
			s.begin("Management")
			s.text(managerOpenings, managerSentences, s.between(150, 700))
			s.end("Management")
		}
	}
	s.end("Description")
}

// text writes an opening, and then sentences until the text has about the given length.
func (s *securityGen) text(opening, body grammar, length int) {
	if s.percent(50) {
		s.char(' ')
	}
	from := len(s.b)
	s.say(opening[s.below(len(opening))])
	at, step := s.below(len(body)), one(&s.rng, bigPrimes[:])
	for len(s.b)-from < length {
		s.char(' ')
		s.say(body[at%len(body)])
		at += step
	}
	if s.percent(50) {
		s.char(' ')
	}
}

func (s *securityGen) say(seq sequence) {
	for i := range seq {
		switch p := &seq[i]; {
		case p.alternatives != nil:
			s.say(p.alternatives[s.below(len(p.alternatives))])
		case p.blank != noBlank:
			s.fill(p.blank)
		default:
			s.str(p.text)
		}
	}
}

// fill writes the content of a blank.
func (s *securityGen) fill(b blank) {
	p := &s.prose
	switch b {
	case blankCo, blankco:
		s.subject(b == blankCo)
	case blankRoot:
		s.nameInText()
	case blankName:
		s.issueName(&s.issue)
	case blankProduct:
		if s.percent(40) {
			s.mention(productQualities, &p.qualities)
			s.char(' ')
		}
		s.mention(s.sector.products, &p.products)
	case blankCustomers:
		s.mention(s.sector.customers, &p.customers)
	case blankInput:
		s.mention(s.sector.inputs, &p.inputs)
	case blankSector:
		s.str(s.sector.name)
	case blankBrand:
		s.brand()
	case blankRival:
		other := s.d.issue(s.companyAt(p.rivals.next(&s.rng, s.d.securities)))
		s.shortName(&other)
	case blankPerson:
		id := stream(golden, int64(p.people.next(&s.rng, 1<<30)))
		who := somebody(&id, anyCountry(&id), false)
		s.fullName(&who)
	case blankChief:
		s.fullName(&p.chief)
	case blankCity:
		s.city()
	case blankCountry:
		s.str(countries[p.countries.next(&s.rng, len(countries))].name)
	case blankRegion:
		s.mention(regions, &p.regions)
	case blankQuality:
		s.mention(productQualities, &p.qualities)
	case blankIndex:
		s.mention(indexes, &p.indexes)
	case blankFamily:
		s.str(s.family)
	case blankRating:
		s.mention(ratings, &p.ratings)
	case blankVerbing:
		s.str(one(&s.rng, activities))
	case blankAsset:
		s.mention(assets, &p.assets)
	default:
		s.fillNumber(b)
	}
}

// fillNumber writes the content of a blank for a number or a date.
func (s *securityGen) fillNumber(b blank) {
	switch b {
	case blankYear:
		s.int(int64(s.between(1921, 2004)))
	case blankRecent:
		s.int(int64(2010 - s.skewed(0, 5)))
	case blankMonth:
		s.mention(months, &s.prose.months)
	case blankDate:
		n := s.prose.dates.next(&s.rng, 12*28*6)
		s.str(months[n%12])
		s.char(' ')
		s.int(int64(n/12%28 + 1))
		s.str(", ")
		s.int(int64(2004 + n/12/28))
	case blankPercent:
		if s.percent(75) {
			s.int(int64(s.skewed(2, 78)))
		} else {
			s.decimal(int64(s.between(11, 489)), 1)
		}
		s.str(one(&s.rng, percentSigns))
	case blankMoney:
		s.char('$')
		if s.percent(75) {
			s.int(int64(s.between(2, 950)))
		} else {
			s.decimal(int64(s.between(11, 999)), 1)
		}
		s.str(one(&s.rng, moneyUnits))
	case blankFew:
		s.int(int64(s.between(3, 14)))
	case blankSome:
		s.int(int64(s.between(15, 480)))
	case blankMany:
		s.int(int64(s.skewed(1, 88)))
		s.char(',')
		s.padded(uint64(s.between(0, 999)), 3)
	default:
		panic("dataset: nothing fills this blank")
	}
}

// mention writes the next of a few members of a vocabulary.
func (s *securityGen) mention(list []string, members *cast) {
	s.str(list[members.next(&s.rng, len(list))])
}

// subject writes the company or the fund as a sentence refers to it.
func (s *securityGen) subject(capital bool) {
	switch {
	case s.percent(35):
		s.nameInText()
	case capital && s.family != "":
		s.str("The fund")
	case capital:
		s.str("The Company")
	case s.family != "":
		s.str("the fund")
	default:
		s.str("the Company")
	}
}

func (s *securityGen) brand() {
	n := s.prose.brands.next(&s.rng, len(coinedHeads)*len(brandTails)*4)
	s.str(coinedHeads[n/4/len(brandTails)])
	s.str(brandTails[n/4%len(brandTails)])
	if n%4 == 0 {
		s.char(' ')
		s.int(int64(n%97*10 + 20))
	}
}

func (s *securityGen) city() {
	n := s.prose.cities.next(&s.rng, 1<<30)
	in := countries[n%len(countries)].cities
	at := &in[n/len(countries)%len(in)]
	s.str(at.name.ascii)
	if s.percent(40) {
		s.str(", ")
		s.str(at.region.ascii)
	}
}

// nameInText writes the name of the company or the fund in running text.
func (s *securityGen) nameInText() {
	if s.family != "" {
		s.shortName(&s.issue)
		return
	}
	s.companyRoot(s.issue.root)
}

// companyAt returns the first security from i on that is not a fund.
func (s *securityGen) companyAt(i int) int {
	for isFund(i) {
		i = (i + 1) % s.d.securities
	}
	return i
}

// Vocabulary of descriptions that does not depend on the sector.
var (
	months       = lists.list("months")
	percentSigns = []string{"%", "%", " percent", "%"}
	moneyUnits   = []string{" million", " million", " million", " million", " million", " billion"}

	brandTails       = lists.list("brand tails")
	productQualities = lists.list("qualities")
	regions          = lists.list("regions")
	indexes          = lists.list("indexes")
	ratings          = lists.list("ratings")
	activities       = lists.list("activities")
	assets           = lists.list("assets")
)
