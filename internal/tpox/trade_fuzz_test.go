package tpox_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

// FuzzTrade_Apply trades with arbitrary texts instead of numbers: no panic, only the errors of the domain, and amounts
// exact to the cent.
func FuzzTrade_Apply(f *testing.F) {
	f.Add(false, "1", "10.25", "1000.00", "1000.00", "5", 30, false)
	f.Add(true, "5", "0.25", "-0.01", "9999999999999.99", "5.000", 30, true)
	f.Add(true, "0.5", "0.27", "1.005", "-1.005", "1", 0, false)
	f.Add(false, "1000000000", "9999999999999", "10000000000000", "0", "", 1, true)
	f.Add(true, "0.001", "-1", ".5", "5.", "0.0014", 1, true)
	f.Add(false, " +1 ", "1e5", "NaN", "", "-1", -1, false)
	f.Fuzz(func(t *testing.T, selling bool, quantity, price, actual, working, held string, most int, covered bool) {
		tradeExactly(t, selling, quantity, price, actual, working, held, tpox.Rules{MaxHoldings: most, Covered: covered})
	})
}

// tradeExactly checks one trade, and reports whether it was carried out.
func tradeExactly(
	t *testing.T, selling bool, quantity, price, actual, working, held string, rules tpox.Rules,
) bool {
	t.Helper()
	escaped := func(s string) string {
		return strings.TrimSuffix(strings.TrimPrefix(string(xmldoc.AppendElement(nil, "t", s)), "<t>"), "</t>")
	}
	a := account{id: "104000000", actual: escaped(actual), working: escaped(working),
		positions: positionXML("IBM", escaped(held))}
	if held == "" {
		a.positions = ""
	}
	customer, security := []byte(customerXML(a.xml())), []byte(securityXML("IBM", escaped(price)))
	before := string(customer)
	rules.MaxCustomer = tpox.DefaultRules.MaxCustomer
	for _, doc := range [][]byte{customer, security} {
		if _, err := xmldoc.Admit(doc, xmldoc.Limits{}); err != nil {
			return false // not well-formed
		}
	}
	trade := tpox.Trade{Side: tpox.Buy, Symbol: "IBM", Quantity: quantity, Now: now}
	if selling {
		trade.Side = tpox.Sell
	}

	changed, confirmation, err := trade.Apply(rules, customer, accountID, tpox.QuoteOf(security))
	require.Equal(t, before, string(customer), "the document is not written to")
	if err != nil {
		var invalid *tpox.Invalid
		var conflict *tpox.Conflict
		require.True(t, errors.As(err, &invalid) || errors.As(err, &conflict), "%T: %v", err, err)
		require.Nil(t, changed)
		require.Nil(t, confirmation)
		return false
	}
	normal(t, changed)
	normal(t, confirmation)
	require.NoError(t, tpox.ValidateCustomer(changed))

	amount := halfEven(new(big.Rat).Mul(rational(t, quantity), rational(t, price)), 100)
	movement, change := new(big.Rat).Neg(amount), rational(t, quantity)
	if selling {
		movement, change = amount, new(big.Rat).Neg(change)
	}
	holds := new(big.Rat)
	if held != "" {
		holds = rational(t, held)
	}
	holds = holds.Add(holds, change)
	if selling {
		require.GreaterOrEqual(t, holds.Sign(), 0)
	}
	holds = halfEven(holds, 1000)
	if a.actual == "" {
		actual = "1000.00"
	}
	if a.working == "" {
		working = "1000.00"
	}
	newActual := halfEven(new(big.Rat).Add(rational(t, actual), movement), 100)
	newWorking := halfEven(new(big.Rat).Add(rational(t, working), movement), 100)
	for _, c := range []struct {
		doc     []byte
		element string
		want    *big.Rat
		places  int
	}{
		{confirmation, "Amount", amount, 2}, {confirmation, "Quantity", rational(t, quantity), 3},
		{confirmation, "Price", rational(t, price), 0},
		{confirmation, "Position", holds, 3}, {confirmation, "OnlineActualBal", newActual, 2},
		{confirmation, "WorkingBalance", newWorking, 2},
		{changed, "OnlineActualBal", newActual, 2}, {changed, "WorkingBalance", newWorking, 2},
		{changed, "CreditMovement", movement, 2}, {changed, "ValueDatedBal", newWorking, 2},
	} {
		_, rest, _ := strings.Cut(string(c.doc), "<"+c.element+">")
		got, _, _ := strings.Cut(rest, "<")
		got = strings.ReplaceAll(got, "&#13;", "\r") // from white space around a price in the document
		require.Zero(t, c.want.Cmp(rational(t, got)), "%s: %s, want %s", c.element, got, c.want)
		if c.places > 0 {
			require.Equal(t, c.want.FloatString(c.places), got)
		}
	}
	if position := "<Symbol>IBM</Symbol>"; holds.Sign() == 0 {
		require.NotContains(t, string(changed), position)
	} else {
		require.Contains(t, string(changed), "<Quantity>"+holds.FloatString(3)+"<")
	}
	return true
}

// halfEven rounds to multiples of 1/unit with integers only.
func halfEven(r *big.Rat, unit int64) *big.Rat {
	scaled := new(big.Rat).Mul(r, big.NewRat(unit, 1))
	q, rest := new(big.Int).DivMod(scaled.Num(), scaled.Denom(), new(big.Int)) // rounds down
	switch rest.Lsh(rest, 1).Cmp(scaled.Denom()) {
	case 0:
		q.Add(q, new(big.Int).SetUint64(uint64(q.Bit(0))))
	case 1:
		q.Add(q, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(q, big.NewInt(unit))
}
