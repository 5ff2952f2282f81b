package tpox_test

import (
	"bytes"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"brokerage/internal/tpox"
)

// rational reads a decimal independently of the code under test.
func rational(tb rapid.TB, s string) *big.Rat {
	tb.Helper()
	r, ok := new(big.Rat).SetString(strings.Trim(s, "\" \t\r\n"))
	if !ok {
		tb.Fatalf("not a number: %q", s)
	}
	return r
}

func sortsLike(tb rapid.TB, a, b string) {
	tb.Helper()
	x, ok := tpox.SortKey(a)
	y, also := tpox.SortKey(b)
	if !ok || !also {
		tb.Fatalf("no key for %q (%t) or %q (%t)", a, ok, b, also)
	}
	if got, want := bytes.Compare(x, y), rational(tb, a).Cmp(rational(tb, b)); got != want {
		tb.Fatalf("%q and %q compare %d, their keys %x and %x %d", a, b, want, x, y, got)
	}
}

func TestSortKey_Order(t *testing.T) {
	t.Parallel()
	numbers := []string{
		"0", "-0", "+0", "0.0", ".0", "0.", "-0.00", "000", "0.5", ".5", "+.5", "-.5", "0.50", "00.5", "0.05", ".050",
		"0.005", "0.0005", "-0.05", "-0.005",
		"5", "5.", "05", "5.0", "+5", "-5", "-5.", "5.5", "5.05", "5.005", "-5.5", "-5.05", "-5.50", "-5.55", "50", "55",
		"-50", "-55", "500", "-500",
		"9", "10", "9.9", "9.99", "99", "100", "99.99", "100.01", "-9", "-10", "-9.9", "-9.99", "-99.99", "-100", "-100.01",
		"1", "1.0", "1.01", "-1", "-1.01",
		" 5 ", "\t5.5\n", "\r-5",
		strings.Repeat("9", 100), strings.Repeat("9", 99) + ".9", strings.Repeat("9", 99), "1" + strings.Repeat("0", 99),
		"-" + strings.Repeat("9", 100),
		"." + strings.Repeat("0", 99) + "1", "-." + strings.Repeat("0", 99) + "1", "." + strings.Repeat("9", 100),
		"1." + strings.Repeat("0", 98) + "1",
		strings.Repeat("0", 99) + "1", "-" + strings.Repeat("0", 99) + "5", "5." + strings.Repeat("0", 99),
	}
	for _, a := range numbers {
		for _, b := range numbers {
			sortsLike(t, a, b)
		}
	}
}

func TestSortKey_None(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", " ", ".", "-", "+", "-.", "+.", "--1", "+-1", "1-", "1+", "1..2", ".1.", "1,5", "1e5", "1E5", "0x1", "NaN", "INF",
		"-INF", "1 2", "- 1", ".-5", "−5",
		"\u00a05", "1_0", "١", strings.Repeat("1", 101), "0." + strings.Repeat("0", 100), strings.Repeat("9", 1000),
	} {
		key, ok := tpox.SortKey(s)
		require.False(t, ok, "%q", s)
		require.Nil(t, key, "%q", s)
	}
}

func TestScaled(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int64{
		"0": 0, "-0": 0, "-0.0": 0, "0.0001": 1, ".5": 5000, "5.": 50000, "+5": 50000, "007": 70000, "20": 200000,
		"26.9999": 269999,
		"1.00000": 10000, "999999999.9999": 9999999999999, "1000000000": 10000000000000, "9999999999999": 99999999999990000,
		"9999999999999.0": 99999999999990000,
		"999999999999.9":  9999999999999000, "53000000000": 530000000000000,
	} {
		n, ok := tpox.Scaled(s)
		require.True(t, ok, "%q", s)
		require.Equal(t, want, n, "%q", s)
	}
	n, ok := tpox.Scaled("\t5 \r\n")
	require.True(t, ok)
	require.EqualValues(t, 50000, n)
	for _, s := range []string{
		"", ".", "x", "-1", "-0.0001", "0.00001", "1.00001", "1e3", "10000000000000", "1000000000.0001", "9999999999.9999",
		"9999999999999.1", "1 0",
		strings.Repeat("9", 100), strings.Repeat("9", 101),
	} {
		n, ok := tpox.Scaled(s)
		require.False(t, ok, "%q", s)
		require.Zero(t, n, "%q", s)
	}
}

// Scaled accepts exactly the figures that the schema of securities accepts: otherwise a valid document would be
// refused.
func TestScaled_AsSchema(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.StringMatching(`[+-]?0{0,2}[0-9]{0,7}[09]{0,8}(\.[059]{0,5}0{0,2})?`).Draw(rt, "figure")
		doc := strings.Replace(securityXML("IBM", "1"), "<PE>21.50</PE>", "<PE>"+s+"</PE>", 1)
		n, ok := tpox.Scaled(s)
		if valid := tpox.ValidateSecurity([]byte(doc)) == nil; valid != ok {
			rt.Fatalf("%q: valid by the schema %t, Scaled %t", s, valid, ok)
		}
		if ok && rational(rt, s).Cmp(big.NewRat(n, 10000)) != 0 {
			rt.Fatalf("%q: %d", s, n)
		}
	})
}

func ExampleSortKey() {
	for _, s := range []string{"-10.5", "-10.50", "0.05", "7", "10"} {
		key, _ := tpox.SortKey(s)
		fmt.Printf("%x\n", key)
	}
	// Output:
	// 00fdcecfcaff
	// 00fdcecfcaff
	// 01003035
	// 010137
	// 01023130
}
