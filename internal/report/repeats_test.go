package report

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// scattered returns repeats spread evenly over a share of their middle: 100 with 0.02 is 99, 100, 101.
func scattered(middle, spread float64, n int) repeats {
	s := make(repeats, n)
	for i := range s {
		s[i] = middle * (1 + spread*(float64(i)/float64(n-1)-.5))
	}
	return s
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		a, b repeats
		want verdict
	}{
		"Same":                {repeats{100, 101, 99}, repeats{100, 101, 99}, within},
		"SameToTheDigit":      {repeats{100, 100, 100}, repeats{100, 100, 100}, within},
		"ShiftAboveSpread":    {scattered(100, .02, 3), scattered(120, .02, 3), larger},
		"ShiftBelow":          {scattered(120, .02, 3), scattered(100, .02, 3), larger},
		"ShiftWithinSpread":   {scattered(100, .3, 3), scattered(120, .3, 3), within},
		"ApartButCloseToIt":   {repeats{100, 104, 108}, repeats{109, 113, 117}, within},
		"OneOutlierOverlaps":  {repeats{100, 100, 100, 130}, repeats{120, 120, 120, 120}, within},
		"OneSideIsNoisy":      {repeats{100, 100, 100}, scattered(120, .5, 3), within},
		"TwoRepeats":          {repeats{100, 101}, repeats{200, 201}, unknown},
		"OneSideSingle":       {repeats{100, 101, 99}, repeats{200}, unknown},
		"Single":              {repeats{100}, repeats{200}, unknown},
		"Nothing":             {nil, nil, unknown},
		"MoreRepeatsThanHere": {scattered(100, .02, 3), scattered(120, .02, 7), larger},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, judge(c.a, c.b))
			require.Equal(t, c.want, judge(c.b, c.a), "the other way round")
		})
	}
}

// The rule finds a difference where there is none as seldom as the pages say, and it finds most differences of five
// standard deviations.
func TestJudge_Chance(t *testing.T) {
	const trials = 20_000
	random := rand.New(rand.NewPCG(1, 2))
	found := func(size int, shift float64) float64 {
		n := 0
		for range trials {
			a, b := make(repeats, size), make(repeats, size)
			for i := range size {
				a[i], b[i] = random.NormFloat64(), shift+random.NormFloat64()
			}
			if judge(a, b) == larger {
				n++
			}
		}
		return float64(n) / trials
	}
	for _, size := range []int{3, 4, 5} {
		chance, five := found(size, 0), found(size, 5)
		require.InEpsilon(t, chanceOf(size), chance, .4, "%d repeats", size)
		require.Greater(t, five, .9, "%d repeats", size)
		t.Logf("%d repeats: %.4f by chance, %.3f of those of 5 standard deviations", size, chance, five)
	}
	require.Zero(t, chanceOf(2))
}

func TestRepeats(t *testing.T) {
	require.InDelta(t, 2, repeats{3, 1, 2}.median(), 0)
	require.InDelta(t, 2.5, repeats{4, 1, 3, 2}.median(), 0)
	require.Zero(t, repeats(nil).median())
	require.Equal(t, "±10.0 %", repeats{90, 100, 110}.spread())
	require.Empty(t, repeats{100}.spread(), "one run has no spread")
	require.Equal(t, "90.0–110", repeats{110, 90, 100}.limits())
}

func TestFormat(t *testing.T) {
	for want, got := range map[string]string{
		"43.0 %": percent(.43, 1), "+17.5 %": signed(.175), "−52.7 %": signed(-.527), "0 s": seconds(0),
		"0.042 s": seconds(.042), "1.5 s": seconds(1.54), "10 s": seconds(9.96), "1:00 min": seconds(59.7),
		"1:00:00 h": seconds(3599.6), "250 k": axisText(250_000), "1.5 M": axisText(1.5e6), "5000": axisText(5000),
		"1e+09 G": axisText(1e18),
	} {
		require.Equal(t, want, got)
	}
}
