package brokerage

import (
	"strings"

	"github.com/shopspring/decimal"
)

// parseDecimal reads the lexical form of XML Schema's decimal: no exponent, and
// white space around it is not part of it.
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

// maxDigits keeps arithmetic on what a client sends cheap.
const maxDigits = 100

var (
	maxQuantity  = decimal.New(1, 9)
	balanceLimit = decimal.New(1, 13)
)

// money writes computed money: two places, rounded half to even.
func money(d decimal.Decimal) string { return d.StringFixedBank(2) }

// shares writes a quantity: three places.
func shares(d decimal.Decimal) string { return d.StringFixedBank(3) }

// SortKey writes a decimal so that the order of bytes is the order of numbers,
// for indexes: exact, up to maxDigits digits. It gives false for what is not a
// decimal, or a longer one, which no index could hold.
func SortKey(s string) (key []byte, ok bool) {
	d, ok := parseDecimal(s)
	if !ok {
		return nil, false
	}
	// A sign, the number of digits before the point, and the digits without
	// zeros that say nothing; all but the sign inverted for negative numbers,
	// where more is less.
	whole, fraction, _ := strings.Cut(d.Abs().String(), ".")
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	key = append(key, 1, byte(len(whole)))
	if whole == "" {
		// Below one, leading zeros of the fraction do say something.
		key[1] = 0
	}
	key = append(append(key, whole...), fraction...)
	if d.Sign() < 0 {
		key[0] = 0
		for i := range key[1:] {
			key[1+i] = ^key[1+i]
		}
		// A longer fraction is a smaller number now: what ends must sort after
		// what goes on.
		key = append(key, 0xFF)
	}
	return key, true
}
