package dataset

// issue is the part of a security that other documents mention: its type and its name. It has a random stream of its
// own, so that a position or a competitor can be written without generating the whole security.
type issue struct {
	kind      byte // see types
	income    bool // see incomeEvery
	sector    *sector
	hasSector bool      // a fund need not name one
	root      [3]string // the name of a company without its trade
	trade     string
	legal     string // "" for none
	coupon    int    // of a bond, in 1/1000 percent
	maturity  int    // of a bond, the year
	family    string // of a fund
	strategy  string
	class     string
}

var (
	coinedHeads = lists.list("coined heads")
	coinedTails = lists.list("coined tails")
	founders    = lists.list("founders")
	landscapes  = lists.list("landscapes")
	landforms   = lists.list("landforms")
	legalForms  = newCodes("Inc:28 Corp:24 Co:7 Ltd:6 plc:4 Group:5 AG:2 NV:2 SA:2 LP:2 Trust:2")

	fundFamilies = lists.list("fund families")
	strategies   = [...][]string{
		's': lists.list("stock fund strategies"), 'b': lists.list("bond fund strategies"),
		'm': lists.list("mixed fund strategies"),
	}
	shareClasses = newCodes("A:8 B:3 C:5 D I:4 Inst:5 Inv:5 R Adm:3 Y Z")
)

// Every incomeEvery-th security is a stock that Q4 (search_securities) finds: it has both a high price over earnings
// and a high yield. The sectors take turns. Left to chance, such securities would be missing in small datasets and
// sectors, or too frequent in large ones.
const (
	incomeEvery = 120
	incomeFirst = 12
)

// issue draws the issue of security i.
func (d *Dataset) issue(i int) issue {
	r := stream(d.keys[forIssue], int64(i))
	is := issue{kind: typeOf(i), income: i%incomeEvery == incomeFirst, sector: &sectors[r.index(sectorShare)]}
	if is.income {
		is.sector = &sectors[(i/incomeEvery*5+2)%len(sectors)] // 5 and 12 have no common divisor
	}
	if isFund(i) {
		is.strategy = one(&r, strategies[is.kind])
		is.hasSector = r.percent(70)
		is.family = one(&r, fundFamilies)
		is.class = r.pick(shareClasses)
		if is.kind == 's' && is.hasSector && r.percent(60) {
			is.strategy = is.sector.name
		}
		return is
	}
	is.hasSector = true
	is.root = drawRoot(&r)
	is.trade = one(&r, is.sector.trades)
	if r.percent(88) {
		is.legal = r.pick(legalForms)
	}
	is.coupon = 125 * r.between(14, 78)
	is.maturity = r.between(2011, 2039)
	return is
}

// drawRoot draws a coined word, one or two family names, or a landscape.
func drawRoot(r *rng) [3]string {
	switch x := r.below(100); {
	case x < 48:
		return [...]string{one(r, coinedHeads), one(r, coinedTails), ""}
	case x < 68:
		return [...]string{one(r, founders), "", ""}
	case x < 78:
		return [...]string{one(r, founders), " &amp; ", one(r, founders)}
	default:
		return [...]string{one(r, landscapes), " ", one(r, landforms)}
	}
}

// shortName writes the name of an issue in running text.
func (w *writer) shortName(is *issue) {
	if is.family != "" {
		w.str(is.family, " ", is.strategy)
	} else {
		w.str("", is.root[:]...)
		w.str(" ", is.trade)
	}
}

// issueName writes the name as in Security/Name and Position/Name.
func (w *writer) issueName(is *issue) {
	w.shortName(is)
	switch {
	case is.family != "":
		w.str(" ", is.class)
	case is.kind == 'B':
		w.char(' ')
		w.decimal(int64(is.coupon), 3)
		w.str("% ")
		w.int(int64(is.maturity))
	case is.legal != "":
		w.str(" ", is.legal)
	}
}

// names holds the names of all securities, since every position has one: half a megabyte that saves much of the time
// for a customer.
type names struct {
	text []byte
	ends []uint32 // of each name; the first one begins at 0
}

func (d *Dataset) newNames() names {
	w, n := writer{b: make([]byte, 0, 28*d.securities)}, names{ends: make([]uint32, d.securities)}
	for i := range n.ends {
		is := d.issue(i)
		w.issueName(&is)
		n.ends[i] = uint32(len(w.b))
	}
	n.text = w.b
	return n
}

func (n *names) at(i int) []byte {
	if i == 0 {
		return n.text[:n.ends[0]]
	}
	return n.text[n.ends[i-1]:n.ends[i]]
}
