package storetest

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"brokerage/internal/tpox"
)

// The reference computes the answer and the effect of every transaction again, as plainly as possible, on trees and
// with fractions. It shares no code with the service. Its functions begin with ref.

const (
	custacc  = "http://tpox-benchmark.com/custacc"
	security = "http://tpox-benchmark.com/security"
	fixml    = "http://www.fixprotocol.org/FIXML-4-4"
)

var decimalForm = regexp.MustCompile(`^[ \t\r\n]*[+-]?(\d+(\.\d*)?|\.\d+)[ \t\r\n]*$`)

// decimal returns nil for what is not a decimal.
func decimal(s string) *big.Rat {
	if !decimalForm.MatchString(s) {
		return nil
	}
	r, _ := new(big.Rat).SetString(strings.TrimSuffix(strings.Trim(s, " \t\r\n"), "."))
	return r
}

// fixed formats a fraction with the given number of places, rounded half to even.
func fixed(r *big.Rat, places int) string {
	pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(pow))
	whole, rest := new(big.Int).DivMod(scaled.Num(), scaled.Denom(), new(big.Int)) // rest >= 0
	if c := rest.Lsh(rest, 1).Cmp(scaled.Denom()); c > 0 || c == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(whole, pow).FloatString(places)
}

func idOf(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func refAccount(c *element, id tpox.ID) *element {
	for _, a := range c.child("Accounts").children("Account") {
		if a.attrs["id"] == id.String() {
			return a
		}
	}
	return nil
}

// firstDifference returns the first line in which two canonical forms differ, for a message.
func firstDifference(want, got string) string {
	for n := 1; want != got; n++ {
		var w, g string
		w, want, _ = strings.Cut(want, "\n")
		if g, got, _ = strings.Cut(got, "\n"); w != g {
			return fmt.Sprintf("line %d of the canonical form\n  want %.300s\n  got  %.300s", n, w, g)
		}
	}
	return "none"
}
