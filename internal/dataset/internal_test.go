package dataset

import (
	"strings"
	"testing"
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

// Vocabularies, alphabet and classes are as the code assumes: long enough for walks, spellings in ASCII, and so on.
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
