package tpox

import (
	"strings"

	"github.com/shopspring/decimal"

	"brokerage/internal/xmldoc"
)

// decimalText returns a decimal without the white space around it.
func decimalText(n xmldoc.Node) string { return strings.TrimSpace(text(n)) }

// parseDecimal reads a decimal of XML Schema: without an exponent; white space around it does not count.
func parseDecimal(s string) (d decimal.Decimal, ok bool) {
	s = strings.Trim(s, " \t\r\n")
	digits, point := 0, false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && !point:
			point = true
		case (c == '+' || c == '-') && i == 0:
		default:
			return d, false
		}
	}
	if digits == 0 || digits > maxDigits {
		return d, false
	}
	d, err := decimal.NewFromString(strings.TrimSuffix(s, "."))
	return d, err == nil
}

// maxDigits limits the cost of arithmetic on a client's input.
const maxDigits = 100

var (
	maxQuantity  = decimal.New(1, 9)
	balanceLimit = decimal.New(1, 13)
)

// money formats a computed amount: two places, rounded half to even.
func money(d decimal.Decimal) string { return d.StringFixedBank(2) }

// shares formats a quantity: three places.
func shares(d decimal.Decimal) string { return d.StringFixedBank(3) }

// SortKey returns an exact key of a decimal for an index: the byte order of keys is the order of the numbers. ok is
// false for what is not a decimal, or has more than maxDigits digits, which no index could hold.
func SortKey(s string) (key []byte, ok bool) {
	d, ok := parseDecimal(s)
	if !ok {
		return nil, false
	}
	// A sign, the number of digits before the point, and the digits without insignificant zeros; for negative numbers all
	// but the sign inverted, so that a greater absolute value sorts first.
	whole, fraction, _ := strings.Cut(d.Abs().String(), ".")
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	key = append(key, 1, byte(len(whole)))
	if whole == "" {
		// Below one, the leading zeros of the fraction are significant.
		key[1] = 0
	}
	key = append(append(key, whole...), fraction...)
	if d.Sign() < 0 {
		key[0] = 0
		for i := range key[1:] {
			key[1+i] = ^key[1+i]
		}
		// A longer fraction is a smaller number here, so the shorter one must sort after it.
		key = append(key, 0xFF)
	}
	return key, true
}
