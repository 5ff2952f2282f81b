package dataset

import (
	"math"
	"math/bits"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// The generator is published: these are the numbers that its authors' SplittableRandom returns with this counter and
// gamma, so that another program could generate the same documents.
func TestRNG_KnownSequence(t *testing.T) {
	t.Parallel()
	r := rng{counter: 0, gamma: golden}
	require.Equal(t, []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f},
		[]uint64{r.next(), r.next(), r.next()})
}

// Neighbouring streams are independent: half of the bits differ, at every draw and in every position.
func TestStream_NeighboursAreIndependent(t *testing.T) {
	t.Parallel()
	key := streamKey(1, TPoX2, forOrder)
	const n = 20_000
	differ, same := [64]int{}, 0
	for i := range int64(n) {
		a, b := stream(key, i), stream(key, i+1)
		require.Equal(t, uint64(1), a.gamma&1)
		require.GreaterOrEqual(t, bits.OnesCount64(a.gamma^a.gamma>>1), 16)
		x := a.next() ^ b.next()
		for bit := range differ {
			differ[bit] += int(x >> bit & 1)
		}
		if a.gamma == b.gamma {
			same++
		}
	}
	require.Zero(t, same)
	for bit, d := range differ {
		require.InDelta(t, n/2, d, 5*math.Sqrt(n)/2, "bit %d", bit)
	}
	require.NotEqual(t, key, streamKey(2, TPoX2, forOrder))
	require.NotEqual(t, key, streamKey(1, TPoX1, forOrder))
	require.NotEqual(t, key, streamKey(1, TPoX2, forCustomer))
}

func TestRNG_Below(t *testing.T) {
	t.Parallel()
	r := stream(1, 1)
	counts := [7]int{}
	for range 70_000 {
		counts[r.below(7)]++
	}
	for _, c := range counts {
		require.InDelta(t, 10_000, c, 500)
	}
	lo, hi := math.MaxInt, 0
	for range 1000 {
		v := r.between(3, 9)
		lo, hi = min(lo, v), max(hi, v)
		s := r.skewed(3, 9)
		require.True(t, 3 <= s && s <= 9)
	}
	require.Equal(t, []int{3, 9}, []int{lo, hi})
	require.Equal(t, 5, r.between(5, 5))
}

// The alias table gives every security exactly its weight, up to rounding.
func TestPopularity_Weights(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 500, allSecurities} {
		p := newPopularity(n)
		share, harmonic := make([]float64, n), 0.0
		for r, c := range p.column {
			kept := float64(c.keep) / (1 << 32)
			if c.keep == math.MaxUint32 {
				kept = 1
			}
			share[c.first] += kept
			share[c.second] += 1 - kept
			harmonic += 1 / float64(r+1)
		}
		for r := range n {
			want := float64(n) / float64(r+1) / harmonic
			require.InEpsilon(t, want, share[hotIndex(r, n)], 1e-3, "rank %d of %d", r, n)
		}
	}
}

func TestCivil(t *testing.T) {
	t.Parallel()
	for day := dayOf(1890, 1, 1); day < dayOf(2110, 1, 1); day++ {
		y, m, d := civil(day)
		require.True(t, dayOf(y, time.Month(m), d) == day && m <= 12 && d <= 31, "day %d is %d-%d-%d", day, y, m, d)
	}
	w := writer{}
	w.dateTime(int(time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC).Unix()))
	require.Equal(t, "2024-02-29T23:59:58", string(w.b))
}

func TestWriter_Numbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want  string
		write func(w *writer)
	}{
		{"0", func(w *writer) { w.int(0) }},
		{"-10", func(w *writer) { w.int(-10) }},
		{"9223372036854775807", func(w *writer) { w.int(math.MaxInt64) }},
		{"-9223372036854775808", func(w *writer) { w.int(math.MinInt64) }},
		{"0.05", func(w *writer) { w.decimal(5, 2) }},
		{"-12.340", func(w *writer) { w.decimal(-12340, 3) }},
		{"102.7701", func(w *writer) { w.decimal(1027701, 4) }},
		{"007", func(w *writer) { w.padded(7, 3) }},
	} {
		w := writer{}
		tt.write(&w)
		require.Equal(t, tt.want, string(w.b))
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	c := newCodes("a:3 b c:0")
	counts := map[string]int{}
	for _, s := range c.slot {
		counts[c.values[s]]++
	}
	require.InDelta(t, 192, counts["a"], 2)
	require.InDelta(t, 64, counts["b"], 2)
	require.LessOrEqual(t, counts["c"], 1)
	require.Panics(t, func() { newCodes("a:many") })
}

func TestNewGrammar(t *testing.T) {
	t.Parallel()
	g := newGrammar(`
one [two|{pct} [a|]] <Risk>three</Risk>
`)
	require.Equal(t, grammar{{
		{text: "one "},
		{alternatives: []sequence{{{text: "two"}}, {{blank: blankOf("pct")}, {text: " "},
			{alternatives: []sequence{{{text: "a"}}, nil}}}}},
		{text: " <Risk>three</Risk>"},
	}}, g)
	for _, wrong := range []string{"a [b", "a ]", "{nobody}", "{", "[a|"} {
		require.Panics(t, func() { newGrammar(wrong) }, "%q", wrong)
	}
}

// Words with synonyms become alternatives, but not in markup, in compounds, or where an article would have to change.
func TestWithSynonyms(t *testing.T) {
	t.Parallel()
	require.Equal(t, sequence{{alternatives: thesaurus["weak"]}, {text: " dollars"}}, withSynonyms("weak dollars"))
	for _, text := range []string{"<products>", "by-products", "products-", "a weak dollar", "weaker", "Weak", ""} {
		require.LessOrEqual(t, len(withSynonyms(text)), 1, "%q", text)
	}
	for _, group := range thesaurus {
		require.GreaterOrEqual(t, len(group), 2)
	}
}

// Every list of vocabulary is long enough for its walks, and the plain spellings are US-ASCII only.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	plain := func(ws []word) {
		for _, w := range ws {
			require.Empty(t, strings.Trim(w.plain, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), w.native)
			require.NotEmpty(t, w.plain)
			for _, c := range w.ascii {
				require.Less(t, c, rune(utf8.RuneSelf), w.native)
			}
		}
	}
	for _, c := range countries {
		for _, ws := range [][]word{c.male, c.female, c.last, c.streets} {
			require.GreaterOrEqual(t, len(ws), 10, c.name)
			plain(ws)
		}
		for _, at := range c.cities {
			plain([]word{at.name})
			require.NotEmpty(t, at.postal)
		}
	}
	for _, g := range []grammar{companySentences, fundSentences, managerSentences, companyOpenings, bondOpenings,
		fundOpenings, managerOpenings} {
		for _, p := range bigPrimes {
			require.NotZero(t, len(g)%p)
			require.Less(t, len(g), p)
		}
	}
	require.Len(t, printable, 90)
	require.False(t, strings.ContainsAny(printable, `&<>"'`))
	for _, s := range sectors {
		require.GreaterOrEqual(t, len(s.products), 10)
		require.GreaterOrEqual(t, len(s.inputs), 10)
	}
	for _, shape := range customerShapes {
		for _, class := range shape.classes {
			require.LessOrEqual(t, class.positions.hi, maxPositions)
		}
	}
}
