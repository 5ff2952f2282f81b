package tpox

import (
	"strings"

	"github.com/shopspring/decimal"

	"brokerage/internal/xmldoc"
)

// SecurityKeys are the keys of a security in a store, and the texts that a search returns of it, as the document has
// them.
type SecurityKeys struct {
	Symbol, Name, Type, Sector string
	PE, Yield                  string
}

var (
	securityRoot = path("s:Security")
	keyParts     = paths("s:Security/s:Symbol", "s:Security/s:Name", "s:Security/s:SecurityType",
		"s:Security/s:SecurityInformation/*/s:Sector", "s:Security/s:PE", "s:Security/s:Yield")
	allPEs, allYields = path("s:Security/s:PE"), path("s:Security/s:Yield")
)

// maxSectorBytes limits the length of a sector: an index of PostgreSQL holds less than 2,700 bytes, and the search of
// Db2 takes no longer parameter.
const maxSectorBytes = 1000

// SecurityKeysOf reads the keys of a security, or returns *Invalid for a document without proper ones. Sector is empty
// for a security without one. Of several PE or Yield the first counts, and all must be numbers: an index of a database
// holds every one, and a comparison with a text that is none would fail.
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
	if len(keys.Sector) > maxSectorBytes {
		invalid.add("/Security/SecurityInformation/*/Sector", "longer than %d bytes", maxSectorBytes)
	}
	checkFigures := func(where, first string, all *xmldoc.Path) {
		_, ok := Scaled(first)
		for n := range all.All(in(doc)) {
			_, is := Scaled(text(n))
			ok = ok && is
		}
		if !ok {
			invalid.add(where, "not "+ScaledForm)
		}
	}
	checkFigures("/Security/PE", keys.PE, allPEs)
	checkFigures("/Security/Yield", keys.Yield, allYields)
	return keys, invalid.orNil()
}

// IsSymbol reports whether s has the form of a ticker symbol.
func IsSymbol(s string) bool {
	return len(s) >= 1 && len(s) <= 4*7 && len([]rune(s)) <= 7 && !strings.ContainsAny(s, " \t\r\n")
}

// scale is the number of decimal places that PE, Yield and prices have at most.
const scale = 4

// ScaledForm describes, for messages, the decimals that Scaled takes.
const ScaledForm = "a decimal from 0, of at most 13 digits, at most 4 of them after the point"

var figureLimit = decimal.New(1, 13)

// Scaled returns a decimal in ten-thousandths, which is exact and comparable in an index; ok is false for what is not
// of ScaledForm. It takes what the schema of securities takes: zeros at either end are not digits.
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
