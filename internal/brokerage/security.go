package brokerage

import (
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"brokerage/internal/xmldoc"
)

// SecurityKeys are what a security is found by, and what a search returns of
// it, as it stands in the document.
type SecurityKeys struct {
	Symbol, Name, Type, Sector string
	PE, Yield                  string
}

var (
	securityRoot = path("s:Security")
	keyParts     = paths("s:Security/s:Symbol", "s:Security/s:Name", "s:Security/s:SecurityType",
		"s:Security/s:SecurityInformation/*/s:Sector", "s:Security/s:PE", "s:Security/s:Yield")
)

// maxSector is how long a sector can be, in bytes: an index of PostgreSQL holds
// less than 2,700, and Db2 is asked for no longer one.
const maxSector = 1000

// SecurityKeysOf reads the keys; a document without proper ones is *Invalid.
// Sector is empty where a security has none.
func SecurityKeysOf(doc []byte) (keys SecurityKeys, err error) {
	if !securityRoot.Find(in(doc)).Exists() {
		return keys, invalidf("", "the root element is not Security in namespace %s", SecurityNS)
	}
	var part [6]xmldoc.Node
	keyParts.Find(in(doc), part[:])
	keys = SecurityKeys{text(part[0]), text(part[1]), text(part[2]), text(part[3]), text(part[4]), text(part[5])}
	invalid := &Invalid{}
	if !IsSymbol(keys.Symbol) {
		invalid.add("/Security/Symbol", "not a symbol: 1 to 7 characters without white space")
	}
	if len(keys.Sector) > maxSector {
		invalid.add("/Security/SecurityInformation/*/Sector", "longer than %d bytes", maxSector)
	}
	for _, f := range [...]struct{ where, value string }{{"/Security/PE", keys.PE}, {"/Security/Yield", keys.Yield}} {
		if _, ok := Scaled(f.value); !ok {
			invalid.add(f.where, "not "+ScaledForm)
		}
	}
	return keys, invalid.orNil()
}

// IsSymbol tells whether s can be a ticker symbol at all.
func IsSymbol(s string) bool {
	return len(s) >= 1 && len(s) <= 4*7 && len([]rune(s)) <= 7 && !strings.ContainsAny(s, " \t\r\n")
}

// scale is how many places PE, Yield and prices have at most.
const scale = 4

// ScaledForm says, for messages, what Scaled takes.
const ScaledForm = "a decimal from 0, of at most 13 digits, at most 4 of them after the point"

var figureLimit = decimal.New(1, 13)

// Scaled is a non-negative decimal of at most 13 digits, at most 4 of them after
// the point, in ten-thousandths: exact, and comparable in an index. It takes what
// the schema of securities takes, where zeros at either end are not digits.
func Scaled(s string) (n int64, ok bool) {
	d, ok := parseDecimal(s)
	if !ok || d.Sign() < 0 || !d.Equal(d.Truncate(scale)) {
		return 0, false
	}
	places := int32(0)
	for !d.Equal(d.Truncate(places)) {
		places++
	}
	if d.Shift(places).GreaterThanOrEqual(figureLimit) {
		return 0, false
	}
	return d.Shift(scale).IntPart(), true
}

var priceParts = paths("s:Security/s:Symbol", "s:Security/s:Name",
	"s:Security/s:Price[1]/s:LastTrade", "s:Security/s:Price[1]/s:Ask", "s:Security/s:Price[1]/s:Bid", "s:Security/s:Price[1]/s:PriceToday[1]/s:Open")

// SecurityPrice constructs the answer of get_security_price.
func SecurityPrice(doc []byte) []byte {
	var part [6]xmldoc.Node
	priceParts.Find(in(doc), part[:])
	dst := root(make([]byte, 0, 512), "Security_Price", SecurityNS)
	dst = append(attribute(dst, "SYMBOL", text(part[0])), '>')
	for _, n := range part[1:] {
		dst = n.AppendWithin(dst, SecurityNS)
	}
	return closed(dst, "Security_Price")
}

// Price is a new price of a security; Ask and Bid are empty where they stay.
// Prices are kept as they are written.
type Price struct {
	LastTrade, Ask, Bid string
}

// Validate refuses what is not a price; the error is *Invalid.
func (p Price) Validate() error {
	invalid := &Invalid{}
	for _, f := range []struct {
		where, value string
		optional     bool
	}{{"/Price/LastTrade", p.LastTrade, false}, {"/Price/Ask", p.Ask, true}, {"/Price/Bid", p.Bid, true}} {
		if f.optional && f.value == "" {
			continue
		}
		if _, ok := Scaled(f.value); !ok {
			invalid.add(f.where, "not a price: "+ScaledForm)
		}
	}
	return invalid.orNil()
}

var tradedParts = paths("s:Security/s:Price[1]/s:LastTrade", "s:Security/s:Price[1]/s:Ask", "s:Security/s:Price[1]/s:Bid",
	"s:Security/s:Price[1]/s:PriceToday[1]/s:High", "s:Security/s:Price[1]/s:PriceToday[1]/s:Low")

// SetPrice gives a security a new price; today's high and low follow.
func SetPrice(doc []byte, p Price) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	var part [5]xmldoc.Node
	tradedParts.Find(in(doc), part[:])
	for i, name := range []string{"LastTrade", "Ask", "Bid", "PriceToday/High", "PriceToday/Low"} {
		if !part[i].Exists() {
			return nil, invalidf("/Security/Price/"+name, "is missing in the security")
		}
	}
	e := xmldoc.Edit(doc)
	e.SetText(part[0], p.LastTrade)
	if p.Ask != "" {
		e.SetText(part[1], p.Ask)
	}
	if p.Bid != "" {
		e.SetText(part[2], p.Bid)
	}
	last, _ := parseDecimal(p.LastTrade)
	if high, ok := parseDecimal(text(part[3])); !ok || last.GreaterThan(high) {
		e.SetText(part[3], p.LastTrade)
	}
	if low, ok := parseDecimal(text(part[4])); !ok || last.LessThan(low) {
		e.SetText(part[4], p.LastTrade)
	}
	return e.Apply(nil)
}

// Search is the predicate of search_securities: the sector, PEMin <= PE <
// PEMax and Yield > YieldMin, decimals as Scaled makes them.
type Search struct {
	Sector                 string
	PEMin, PEMax, YieldMin int64
}

// AppendHit begins or goes on with the answer of search_securities: one
// Security for each hit, in order of symbols. SearchAnswer encloses them.
func AppendHit(dst []byte, hit SecurityKeys) []byte {
	dst = append(dst, "<Security>"...)
	for _, f := range [...]struct{ name, value string }{
		{"Symbol", hit.Symbol}, {"Name", hit.Name}, {"SecurityType", hit.Type}, {"Sector", hit.Sector}, {"PE", hit.PE}, {"Yield", hit.Yield},
	} {
		dst = child(dst, f.name, f.value)
	}
	return append(dst, "</Security>"...)
}

// SearchAnswer encloses what AppendHit made of count hits.
func SearchAnswer(count int, hits []byte) []byte {
	dst := root(make([]byte, 0, 96+len(hits)), "Securities", SecurityNS)
	dst = append(attribute(dst, "count", strconv.Itoa(count)), '>')
	return append(append(dst, hits...), "</Securities>"...)
}
