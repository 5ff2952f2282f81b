package dataset

import "fmt"

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

// Every incomeEvery-th security is a stock for Q4 (search_securities) to find: it has a high price-earnings ratio
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
	switch x := r.below(100); { // a coined word, one or two family names, or a landscape
	case x < 48:
		is.root = [...]string{one(&r, coinedHeads), one(&r, coinedTails), ""}
	case x < 68:
		is.root = [...]string{one(&r, founders), "", ""}
	case x < 78:
		is.root = [...]string{one(&r, founders), " &amp; ", one(&r, founders)}
	default:
		is.root = [...]string{one(&r, landscapes), " ", one(&r, landforms)}
	}
	is.trade = one(&r, is.sector.trades)
	if r.percent(88) {
		is.legal = r.pick(legalForms)
	}
	is.coupon = 125 * r.between(14, 78)
	is.maturity = r.between(2011, 2039)
	return is
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

func (n *names) at(i int) []byte {
	if i == 0 {
		return n.text[:n.ends[0]]
	}
	return n.text[n.ends[i-1]:n.ends[i]]
}

// The words A, B, ..., Z, AA, AB, ... are numbered from 0. A symbol is one of the words of up to three letters, or one
// of 18,278 spread over the words of four; a fund has four letters and an X. See the package comment for the whole
// function in a few lines of JavaScript.
const (
	shortWords   = 26 + 26*26 + 26*26*26 // words of one to three letters
	maxSymbols   = 2 * shortWords
	symbolStride = 22_741 // prime, so that i -> i·stride mod 36,556 is one-to-one
)

// types has the type of security i at i mod 20: eleven stocks (S), two bonds (B), three funds of stocks (s), two of
// bonds (b) and two of both (m).
const types = "SSsSBSmSbSSsSBSmSsSb"

func typeOf(i int) byte { return types[i%len(types)] }

func isFund(i int) bool { return typeOf(i) >= 'a' }

// typeNames are the values of SecurityType.
var typeNames = [...]string{'S': "Stock", 'B': "Bond", 's': "Stock Fund", 'b': "Bond Fund", 'm': "Mixed Fund"}

// Symbol returns the ticker symbol of security i, which depends on nothing else, neither seed nor profile nor scale.
func Symbol(i int) string { return string(appendSymbol(nil, i)) }

// appendSymbol appends the ticker symbol of security i.
func appendSymbol(dst []byte, i int) []byte {
	if i < 0 || i >= maxSymbols {
		panic(fmt.Sprintf("dataset: no symbol for index %d", i))
	}
	w := i * symbolStride % maxSymbols
	switch {
	case isFund(i):
		return append(appendWord(dst, shortWords+11*w), 'X')
	case w < shortWords:
		return appendWord(dst, w)
	default:
		return appendWord(dst, shortWords+25*(w-shortWords))
	}
}

// Symbol returns the ticker symbol of security i.
func (d *Dataset) Symbol(i int) string { return Symbol(i) }

// appendWord appends word n of at most four letters.
func appendWord(dst []byte, n int) []byte {
	var a [4]byte
	at := len(a)
	for n++; n > 0; n = (n - 1) / 26 {
		at--
		a[at] = byte('A' + (n-1)%26)
	}
	return append(dst, a[at:]...)
}
