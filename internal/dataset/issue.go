package dataset

// issue is the part of a security that other documents mention: its type and its name. It has a random stream of its
// own, so that a position or a competitor can be written without generating the whole security.
type issue struct {
	index     int
	kind      byte // see types
	sector    *sector
	hasSector bool // a fund need not name one
	root      root
	trade     string
	legal     string // "" for none
	coupon    int    // of a bond, in 1/1000 percent
	maturity  int    // of a bond, the year
	family    string // of a fund
	strategy  string
	class     string
}

// root is the name of a company without its trade: a coined word, one or two family names, or a landscape.
type root struct {
	style uint8
	a, b  uint16
}

var (
	coinedHeads = lists.list("coined heads")
	coinedTails = lists.list("coined tails")
	founders    = lists.list("founders")
	landscapes  = lists.list("landscapes")
	landforms   = lists.list("landforms")
	legalForms  = newCodes("Inc:28 Corp:24 Co:7 Ltd:6 plc:4 Group:5 AG:2 NV:2 SA:2 LP:2 Trust:2")

	fundFamilies           = lists.list("fund families")
	strategiesOfStockFunds = lists.list("stock fund strategies")
	strategiesOfBondFunds  = lists.list("bond fund strategies")
	strategiesOfMixedFunds = lists.list("mixed fund strategies")
	shareClasses           = newCodes("A:8 B:3 C:5 D I:4 Inst:5 Inv:5 R Adm:3 Y Z")
)

// Every incomeEvery-th security is a stock that Q4 finds: good earnings and a high yield, in one sector after the
// other. Left to chance, such securities would be missing in small datasets and sectors, or too frequent in large ones.
const (
	incomeEvery = 120
	incomeFirst = 12
)

func isIncomePick(i int) bool { return i%incomeEvery == incomeFirst }

// issue draws the issue of security i.
func (d *Dataset) issue(i int) issue {
	r := stream(d.keys[forIssue], int64(i))
	is := issue{index: i, kind: typeOf(i), sector: &sectors[sectorShare.index(&r)], hasSector: true}
	if isIncomePick(i) {
		is.sector = &sectors[(i/incomeEvery*5+2)%len(sectors)] // 5 and 12 have no common divisor
	}
	switch is.kind {
	case 'S', 'B':
		is.root = drawRoot(&r)
		is.trade = one(&r, is.sector.trades)
		if r.percent(88) {
			is.legal = legalForms.pick(&r)
		}
		is.coupon = 125 * r.between(14, 78)
		is.maturity = r.between(2011, 2039)
	case 's':
		is.strategy = one(&r, strategiesOfStockFunds)
	case 'b':
		is.strategy = one(&r, strategiesOfBondFunds)
	case 'm':
		is.strategy = one(&r, strategiesOfMixedFunds)
	}
	if isFund(i) {
		is.hasSector = r.percent(70)
		is.family = one(&r, fundFamilies)
		is.class = shareClasses.pick(&r)
		if is.kind == 's' && is.hasSector && r.percent(60) {
			is.strategy = is.sector.name
		}
	}
	return is
}

func drawRoot(r *rng) root {
	switch x := r.below(100); {
	case x < 48:
		return root{style: 0, a: uint16(r.below(len(coinedHeads))), b: uint16(r.below(len(coinedTails)))}
	case x < 68:
		return root{style: 1, a: uint16(r.below(len(founders)))}
	case x < 78:
		return root{style: 2, a: uint16(r.below(len(founders))), b: uint16(r.below(len(founders)))}
	default:
		return root{style: 3, a: uint16(r.below(len(landscapes))), b: uint16(r.below(len(landforms)))}
	}
}

func (w *writer) companyRoot(r root) {
	switch r.style {
	case 0:
		w.str(coinedHeads[r.a])
		w.str(coinedTails[r.b])
	case 1:
		w.str(founders[r.a])
	case 2:
		w.str(founders[r.a])
		w.str(" &amp; ")
		w.str(founders[r.b])
	default:
		w.str(landscapes[r.a])
		w.char(' ')
		w.str(landforms[r.b])
	}
}

// shortName writes the name of an issue in running text.
func (w *writer) shortName(is *issue) {
	switch {
	case is.family != "":
		w.str(is.family)
		w.char(' ')
		w.str(is.strategy)
	default:
		w.companyRoot(is.root)
		w.char(' ')
		w.str(is.trade)
	}
}

// issueName writes the name as it stands in Security/Name and Position/Name.
func (w *writer) issueName(is *issue) {
	w.shortName(is)
	switch {
	case is.family != "":
		w.char(' ')
		w.str(is.class)
	case is.kind == 'B':
		w.char(' ')
		w.decimal(int64(is.coupon), 3)
		w.str("% ")
		w.int(int64(is.maturity))
	case is.legal != "":
		w.char(' ')
		w.str(is.legal)
	}
}

// names holds the names of all securities, since every position has one: half a megabyte that saves much of the time
// for a customer.
type names struct {
	text []byte
	ends []uint32
}

func (d *Dataset) newNames() names {
	n := names{text: make([]byte, 0, 28*d.securities), ends: make([]uint32, d.securities)}
	for i := range n.ends {
		is := d.issue(i)
		w := writer{b: n.text}
		w.issueName(&is)
		n.text = w.b
		n.ends[i] = uint32(len(n.text))
	}
	return n
}

func (n *names) at(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = n.ends[i-1]
	}
	return n.text[from:n.ends[i]]
}
