package dataset

// prose is what the sentences of a description have in common. Business prose keeps returning to the same few products,
// people and places; otherwise a description would compress worse than a real one.
type prose struct {
	chief person // the chief executive, or the manager of a fund
	casts [1 + len(castSizes)]cast
}

// cast is a few members of a vocabulary that are used in turn, with random omissions, so that none is mentioned twice
// in a row.
type cast struct{ start, step, size, at int }

// castSizes holds the size of each cast, in the order of blankNames[1:].
var castSizes = [...]int{4, 3, 3, 3, 4, 3, 3, 3, 3, 3, 3, 4, 3, 3, 3}

// bigPrimes have no common divisor with the length of any vocabulary or grammar: with one of them as step, a walk
// visits every member before it repeats one.
var bigPrimes = [...]int{211, 223, 227, 229, 233, 239, 241, 257, 263, 269, 271, 277, 281, 283, 293, 307}

// description writes the mixed content: a business summary, or the description of a fund and usually of its management.
// Its length makes the document 2 to 10 KB.
func (s *securityGen) description() {
	s.prose.chief = somebody(&s.rng, anyCountry(&s.rng), false)
	for i, size := range castSizes {
		s.prose.casts[1+i] = cast{
			start: s.below(1 << 20), step: one(&s.rng, bigPrimes[:]), size: size, at: s.below(size),
		}
	}
	s.begin("Description")
	length := 1440 + s.between(0, 3430) + s.between(0, 3430)
	if s.family == "" {
		s.begin("BusinessSummary")
		s.text(either(s.kind == 'B', bondOpenings, companyOpenings), companySentences, length)
		s.end("BusinessSummary")
	} else {
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
			s.b = append(s.b, p.text...)
		}
	}
}

// fill writes the content of a blank.
func (s *securityGen) fill(b blank) {
	if list := mentioned[b]; list != nil {
		s.mention(list, b)
		return
	}
	switch name := blankNames[b]; name {
	case "Co", "co":
		if s.percent(35) {
			s.nameInText()
		} else {
			s.str(either(name == "Co", "The ", "the "), either(s.family != "", "fund", "Company"))
		}
	case "root":
		s.nameInText()
	case "name":
		s.issueName(&s.issue)
	case "sector":
		s.str(s.sector.name)
	case "family":
		s.str(s.family)
	case "chief":
		s.str(s.prose.chief.first, " ", s.prose.chief.last)
	case "verbing":
		s.str(one(&s.rng, activities))
	case "product":
		if s.percent(40) {
			s.fill(qualityBlank)
			s.char(' ')
		}
		s.mention(s.sector.products, b)
	case "customers":
		s.mention(s.sector.customers, b)
	case "input":
		s.mention(s.sector.inputs, b)
	case "brand":
		n := s.member(b, len(coinedHeads)*len(brandTails)*4)
		s.str(coinedHeads[n/4/len(brandTails)], brandTails[n/4%len(brandTails)])
		if n%4 == 0 {
			s.char(' ')
			s.int(int64(n%97*10 + 20))
		}
	case "rival":
		i := s.member(b, s.d.securities)
		for isFund(i) {
			i = (i + 1) % s.d.securities
		}
		other := s.d.issue(i)
		s.shortName(&other)
	case "person":
		id := stream(golden, int64(s.member(b, 1<<30)))
		who := somebody(&id, anyCountry(&id), false)
		s.str(who.first, " ", who.last)
	case "city":
		n := s.member(b, 1<<30)
		in := countries[n%len(countries)].cities
		at := &in[n/len(countries)%len(in)]
		s.str(at.name.ascii)
		if s.percent(40) {
			s.str(", ", at.region.ascii)
		}
	case "country":
		s.str(countries[s.member(b, len(countries))].name)
	default:
		s.fillNumber(name, b)
	}
}

// fillNumber writes the content of a blank for a number or a date.
func (s *securityGen) fillNumber(name string, b blank) {
	switch name {
	case "year":
		s.int(int64(s.between(1921, 2004)))
	case "recent":
		s.int(int64(2010 - s.skewed(0, 5)))
	case "date":
		n := s.member(b, 12*28*6)
		s.str(months[n%12], " ")
		s.int(int64(n/12%28 + 1))
		s.str(", ")
		s.int(int64(2004 + n/12/28))
	case "pct":
		if s.percent(75) {
			s.int(int64(s.skewed(2, 78)))
		} else {
			s.decimal(int64(s.between(11, 489)), 1)
		}
		s.str(one(&s.rng, percentSigns))
	case "usd":
		s.char('$')
		if s.percent(75) {
			s.int(int64(s.between(2, 950)))
		} else {
			s.decimal(int64(s.between(11, 999)), 1)
		}
		s.str(one(&s.rng, moneyUnits))
	case "few":
		s.int(int64(s.between(3, 14)))
	case "some":
		s.int(int64(s.between(15, 480)))
	case "many":
		s.int(int64(s.skewed(1, 88)))
		s.char(',')
		s.padded(s.between(0, 999), 3)
	default:
		panic("dataset: nothing fills {" + name + "}")
	}
}

// member returns the index of the next member of the cast of a blank, in a vocabulary of length n.
func (s *securityGen) member(b blank, n int) int {
	c := &s.prose.casts[b]
	c.at = (c.at + 1 + s.below(2)) % c.size
	return (c.start + c.at*c.step) % n
}

// mention writes the member of list whose turn it is for b.
func (s *securityGen) mention(list []string, b blank) { s.str(list[s.member(b, len(list))]) }

// nameInText writes the name of a fund, or the root of a company's name, in running text.
func (s *securityGen) nameInText() {
	if s.family != "" {
		s.shortName(&s.issue)
	} else {
		s.str("", s.issue.root[:]...)
	}
}

// Vocabulary of descriptions that does not depend on the sector.
var (
	months       = lists.list("months")
	percentSigns = []string{"%", "%", " percent", "%"}
	moneyUnits   = []string{" million", " million", " million", " million", " million", " billion"}
	brandTails   = lists.list("brand tails")
	activities   = lists.list("activities")

	// mentioned holds, by blank, the vocabulary that fills it.
	mentioned = func() [][]string {
		all := make([][]string, len(blankNames))
		for name, list := range map[string]string{"month": "months", "quality": "qualities", "region": "regions",
			"index": "indexes", "rating": "ratings", "asset": "assets"} {
			all[blankOf(name)] = lists.list(list)
		}
		return all
	}()
	qualityBlank = blankOf("quality")

	companyOpenings  = newGrammar(vocabulary("company_openings"))
	bondOpenings     = newGrammar(vocabulary("bond_openings"))
	companySentences = newGrammar(vocabulary("company_sentences"))
	fundOpenings     = newGrammar(vocabulary("fund_openings"))
	fundSentences    = newGrammar(vocabulary("fund_sentences"))
	managerOpenings  = newGrammar(vocabulary("manager_openings"))
	managerSentences = newGrammar(vocabulary("manager_sentences"))
)
