package dataset

// person is a person in a document.
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

func (g *gen) titleOf(p *person) string {
	switch {
	case g.percent(4):
		return ""
	case p.female:
		return g.pick(titlesOfWomen)
	default:
		return g.pick(titlesOfMen)
	}
}

// mailAddress writes one of the usual forms of an address for p.
func (g *gen) mailAddress(p *person) {
	switch g.below(5) {
	case 0:
		g.str(p.plainFirst[:1], p.plainLast)
	case 1:
		g.str(p.plainLast)
		g.int(int64(g.between(1, 99)))
	case 2:
		g.str(p.plainFirst, "_", p.plainLast)
	default:
		g.str(p.plainFirst, ".", p.plainLast)
	}
	g.str("@", one(&g.rng, mailHosts), ".")
	if g.percent(45) {
		g.str(p.from.tld)
	} else {
		g.str(g.pick(mailDomains))
	}
}

// street writes a street with its number, in the order of the country.
func (g *gen) street(c *country, native bool) {
	for i := range len(c.street) {
		switch c.street[i] {
		case '#':
			g.int(int64(1 + g.skewed(0, 60)*g.skewed(1, 40)))
		case '*':
			g.str(c.streets[g.below(len(c.streets))].in(native))
		default:
			g.char(c.street[i])
		}
	}
}
