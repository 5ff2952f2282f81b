package dataset

var (
	capitalizations = newCodes("Large:3 Medium:4 Small:5")
	classesOfValue  = newCodes("Value:4 Growth:4 Blend:3")
	durations       = []string{"Short Term", "Medium Term", "Long Term"}
	qualities       = newCodes("High:4 Medium:3 Low:2")
	assetGroups     = lists.list("asset groups")
	minInvestments  = newCodes("250 500 1000:6 2500:6 3000:4 5000:3 10000:2 25000 50000 100000:2 1000000:2")
	nextInvestments = newCodes("1 25 50:4 100:6 250:2 500 1000")
	pricePlaces     = newCodes("2:46 3:2 4:3")
	priceClasses    = newWeights(20, 70, 100, 50, 13, 3)
)

// priceRanges holds the lowest and the highest price of each of priceClasses, in whole units of money.
var priceRanges = [...][2]int{{1, 5}, {5, 20}, {20, 60}, {60, 150}, {150, 600}, {600, 2400}}

// securityGen writes securities.
type securityGen struct {
	*gen
	issue
	prose prose
}

func (d *Dataset) appendSecurity(dst []byte, i int) []byte {
	g := d.gen(dst, forSecurity, int64(i), nil)
	s := securityGen{gen: &g, issue: d.issue(i)}
	s.str(`<Security xmlns="http://tpox-benchmark.com/security" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
		`id="`)
	s.int(d.ID(Security, int64(i)))
	s.str(`" xsi:schemaLocation="http://tpox-benchmark.com/security security.xsd"><Symbol>`)
	s.b = appendSymbol(s.b, i)
	s.str("</Symbol><Name>")
	s.issueName(&s.issue)
	s.str("</Name><ShortName>")
	s.shortName(&s.issue)
	s.end("ShortName")
	s.elem("SecurityType", typeNames[s.kind])
	s.begin("SecurityInformation")
	if isFund(i) {
		s.begin("FundInformation")
		s.elem("FundFamily", s.family)
		if s.hasSector {
			s.elem("Sector", s.sector.name)
			s.industries(s.skewed(0, 2))
		}
		s.elem("AssetGroup", one(&s.rng, assetGroups))
		if s.kind != 'b' {
			s.category()
		}
		if s.kind != 's' {
			s.str(`<FixedIncome Duration="`, one(&s.rng, durations), `" Quality="`, s.pick(qualities), `"></FixedIncome>`)
		}
		s.decimalElem("ExpenseRatio", int64(s.skewed(5, 240)), 2)
		s.digitsElem("TotalAssets", s.between(7, 10))
		if s.percent(85) {
			s.elem("MinInitialInvestment", s.pick(minInvestments))
			if s.percent(80) {
				s.elem("MinSubsequentInvestment", s.pick(nextInvestments))
			}
		}
		s.end("FundInformation")
	} else {
		s.begin("StockInformation")
		s.elem("Sector", s.sector.name)
		s.industries(1 + s.skewed(0, 3))
		s.category()
		s.digitsElem("OutstShares", s.between(7, 9))
		s.end("StockInformation")
	}
	s.description()
	s.end("SecurityInformation")
	s.figures()
	s.end("Security")
	return g.b
}

// industries writes up to n industries of the sector, none twice.
func (s *securityGen) industries(n int) {
	all := s.sector.industries
	at := s.below(len(all))
	for range min(n, len(all)) {
		s.elem("Industry", all[at])
		at = (at + 1) % len(all)
	}
}

func (s *securityGen) category() {
	s.str(`<Category Capitalization="`, s.pick(capitalizations), `" Class="`, s.pick(classesOfValue), `"></Category>`)
}

// price is an amount in 1/10,000. All but dividends are multiples of the security's tick.
type price = int64

// figures writes prices and ratios. They are consistent: bid is below the last trade and ask above it, the day's range
// contains open and last trade, the year's range contains the day's, and the dividend follows from yield and price.
func (s *securityGen) figures() {
	places := 2 + s.index(pricePlaces)
	tick := price(pow10s[4-places])
	lowest, highest := 820_000, 1_180_000 // of a bond, around par
	if s.kind != 'B' {
		r := priceRanges[s.index(priceClasses)]
		lowest, highest = r[0]*10_000, r[1]*10_000
	}
	last := price(s.between(lowest, highest)) / tick * tick
	some := func(permille int) price { // part of the last trade, at least one tick
		return tick * price(s.between(1, max(1, int(last/tick)*permille/1000)))
	}
	ask, bid := last+some(4), last-some(4)
	previous := last + some(30) - some(30)
	open := previous + some(15) - some(15)
	high, low := max(open, last)+some(15), max(tick, min(open, last)-some(15))
	yearHigh, yearLow := high+some(550), max(tick, low-some(450))
	average := func() price {
		quarter := int(yearHigh-yearLow) / 4
		return yearLow + price(s.between(quarter, 3*quarter))/tick*tick
	}

	s.begin("Price")
	s.price("LastTrade", last, places)
	s.price("Ask", ask, places)
	s.price("Bid", bid, places)
	s.price("Price50DayAvg", average(), places)
	s.price("Price200DayAvg", average(), places)
	s.begin("PriceToday")
	s.price("PreviousClose", previous, places)
	s.price("Open", open, places)
	s.price("Low", low, places)
	s.price("High", high, places)
	s.end("PriceToday")
	s.begin("Price52week")
	s.price("Price52week-low", yearLow, places)
	s.dateElem("Price52week-low-date", horizon-s.between(1, 364))
	s.price("Price52week-high", yearHigh, places)
	s.dateElem("Price52week-high-date", horizon-s.between(1, 364))
	s.end("Price52week")
	s.end("Price")

	earnings, yield := s.ratios()
	s.price("PE", price(earnings)*100, 2)
	s.price("Yield", price(yield)*100, 2)
	s.price("DivPerShare", last*price(yield)/10_000, 2)
}

func (s *securityGen) price(name string, p price, places int) {
	s.decimalElem(name, p/price(pow10s[4-places]), places)
}

// ratios draws the price-earnings ratio and the yield in percent, both in 1/100. Bonds and their funds have no
// earnings. Securities with a high price-earnings ratio yield little, so that Q4, which asks for both, finds little
// except the income securities.
func (s *securityGen) ratios() (earnings, yield int) {
	switch {
	case s.income:
		return s.between(2250, 2550), s.between(520, 800)
	case s.kind == 'B' || s.kind == 'b':
		return 0, s.between(180, 980)
	case s.percent(9):
		return 0, 0 // a loss, no dividend
	}
	earnings = 600 + s.skewed(0, 2400) + s.skewed(0, 2200)
	if s.percent(8) {
		earnings += 9 * s.skewed(0, 1200)
	}
	if s.percent(35) {
		return earnings, 0
	}
	yield = s.skewed(10, 390)
	if earnings < 1900 && s.percent(30) || s.below(1000) < 25 {
		yield += s.skewed(0, 450)
	}
	return earnings, yield
}
