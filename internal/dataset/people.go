package dataset

// person is a person in a document. The words point into the vocabulary.
type person struct {
	from        *country // nationality
	first, last *word
	female      bool
	native      bool // spelt with the letters of the language
}

var (
	residence = sharesOf(countries, func(c country) int { return c.share })

	titlesOfMen   = newCodes("Mr:60 Dr:6 Prof:2 Sir")
	titlesOfWomen = newCodes("Mrs:34 Ms:24 Miss:4 Dr:5 Prof")
	suffixes      = newCodes("Jr:8 Sr:4 II:3 III:3 PhD:2 MD:2 Esq")

	mailHosts   = lists.list("mail hosts")
	mailDomains = newCodes("com:10 net:4 org:2 edu info co")
)

// somebody draws a person of a country.
func somebody(r *rng, c *country, native bool) person {
	p := person{from: c, female: r.percent(48), native: native}
	given := c.male
	if p.female {
		given = c.female
	}
	p.first, p.last = &given[r.below(len(given))], &c.last[r.below(len(c.last))]
	return p
}

// anyCountry draws a country as often as customers live there.
func anyCountry(r *rng) *country { return &countries[residence.index(r)] }

// middle draws a further given name.
func (g *gen) middle(p *person) *word {
	given := p.from.male
	if p.female {
		given = p.from.female
	}
	return &given[g.below(len(given))]
}

func (g *gen) titleOf(p *person) string {
	switch {
	case g.percent(4):
		return ""
	case p.female:
		return titlesOfWomen.pick(&g.rng)
	default:
		return titlesOfMen.pick(&g.rng)
	}
}

// fullName writes first and last name.
func (g *gen) fullName(p *person) {
	g.str(p.first.in(p.native))
	g.char(' ')
	g.str(p.last.in(p.native))
}

func (g *gen) nameElem(name string, p *person) {
	g.begin(name)
	g.fullName(p)
	g.end(name)
}

// mailAddress writes one of the usual forms of an address for p.
func (g *gen) mailAddress(p *person) {
	switch g.below(5) {
	case 0:
		g.char(p.first.plain[0])
		g.str(p.last.plain)
	case 1:
		g.str(p.last.plain)
		g.int(int64(g.between(1, 99)))
	case 2:
		g.str(p.first.plain)
		g.char('_')
		g.str(p.last.plain)
	default:
		g.str(p.first.plain)
		g.char('.')
		g.str(p.last.plain)
	}
	g.char('@')
	g.str(one(&g.rng, mailHosts))
	g.char('.')
	if g.percent(45) {
		g.str(p.from.tld)
	} else {
		g.str(mailDomains.pick(&g.rng))
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
