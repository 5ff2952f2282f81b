package dataset_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// symbol is the JavaScript function of the package comment, translated line by line.
func symbol(i int) string {
	word := func(n int) string {
		s := ""
		for n++; n > 0; n = (n - 1) / 26 {
			s = string(rune('A'+(n-1)%26)) + s
		}
		return s
	}
	w := i * 22741 % 36556
	switch {
	case "00100010100100010101"[i%20] == '1':
		return word(18278+11*w) + "X"
	case w < 18278:
		return word(w)
	default:
		return word(18278 + 25*(w-18278))
	}
}

func TestSymbol(t *testing.T) {
	t.Parallel()
	for i, want := range map[int]string{0: "A", 1: "GJBJ", 2: "FPGKX", 20832: dataset.Symbol(20832)} {
		require.Equal(t, want, dataset.Symbol(i))
	}
	d := open(t, "tiny", dataset.TPoX1)
	seen := map[string]bool{}
	wellFormed := regexp.MustCompile("^[A-Z]{1,7}$")
	lengths := [8]int{}
	for i := range 36_556 {
		s := dataset.Symbol(i)
		check(t, s == symbol(i), "index %d: %s instead of %s", i, s, symbol(i))
		check(t, wellFormed.MatchString(s), "index %d: %s", i, s)
		check(t, !seen[s], "index %d: %s again", i, s)
		seen[s] = true
		if i < 20_833 {
			lengths[len(s)]++
		}
	}
	require.Equal(t, dataset.Symbol(499), d.Symbol(499))
	// As on an exchange, most stocks have three or four letters, and funds have five.
	require.Greater(t, lengths[3], 5000)
	require.Greater(t, lengths[4], 5000)
	require.InEpsilon(t, 0.35*20_833, float64(lengths[5]), 0.01)
	require.Panics(t, func() { dataset.Symbol(-1) })
	require.Panics(t, func() { dataset.Symbol(36_556) })
}
