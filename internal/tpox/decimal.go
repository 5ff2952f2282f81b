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

// scale is the number of decimal places that PE, Yield and prices have at most.
const scale = 4

// ScaledForm describes, for messages, the decimals that Scaled takes.
const ScaledForm = "a decimal from 0, of at most 13 digits, at most 4 of them after the point"

var figureLimit = decimal.New(1, 13)

// Scaled returns a decimal in ten-thousandths, which is exact and comparable in an index; ok is false for what is not
// of ScaledForm. As in the schema of securities, leading zeros, and trailing zeros after the point, do not count.
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

// SortKey returns an exact key of a decimal for an index: the byte order of keys is the order of the numbers. ok is
// false for what is not a decimal, or has more than maxDigits digits.
func SortKey(s string) (key []byte, ok bool) {
	d, ok := parseDecimal(s)
	if !ok {
		return nil, false
	}
	// The key is a sign, the number of digits before the point, and the digits without insignificant zeros. For negative
	// numbers all but the sign is inverted, so that a greater absolute value sorts first.
	whole, fraction, _ := strings.Cut(d.Abs().String(), ".")
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	key = append(key, 1, byte(len(whole)))
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
