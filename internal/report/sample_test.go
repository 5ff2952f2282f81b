package report

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// scattered are repeats that lie evenly within a share of their middle: 100 with 0.02 is 99, 100, 101.
func scattered(middle, spread float64, repeats int) sample {
	s := make(sample, repeats)
	for i := range s {
		s[i] = middle * (1 + spread*(float64(i)/float64(repeats-1)-.5))
	}
	return s
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		a, b sample
		want verdict
	}{
		"Same":                {sample{100, 101, 99}, sample{100, 101, 99}, within},
		"SameToTheDigit":      {sample{100, 100, 100}, sample{100, 100, 100}, within},
		"ShiftAboveSpread":    {scattered(100, .02, 3), scattered(120, .02, 3), larger},
		"ShiftBelow":          {scattered(120, .02, 3), scattered(100, .02, 3), larger},
		"ShiftWithinSpread":   {scattered(100, .3, 3), scattered(120, .3, 3), within},
		"ApartButCloseToIt":   {sample{100, 104, 108}, sample{109, 113, 117}, within},
		"OneOutlierOverlaps":  {sample{100, 100, 100, 130}, sample{120, 120, 120, 120}, within},
		"OneSideIsNoisy":      {sample{100, 100, 100}, scattered(120, .5, 3), within},
		"TwoRepeats":          {sample{100, 101}, sample{200, 201}, unknown},
		"OneSideSingle":       {sample{100, 101, 99}, sample{200}, unknown},
		"Single":              {sample{100}, sample{200}, unknown},
		"Nothing":             {nil, nil, unknown},
		"MoreRepeatsThanHere": {scattered(100, .02, 3), scattered(120, .02, 7), larger},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, judge(c.a, c.b))
			require.Equal(t, c.want, judge(c.b, c.a), "the other way round")
		})
	}
}

// What the pages say about the rule is what it does: how often it finds a difference where there is none, and one of
// five standard deviations.
func TestJudge_Chance(t *testing.T) {
	const trials = 20_000
	random := rand.New(rand.NewPCG(1, 2))
	found := func(repeats int, shift float64) float64 {
		n := 0
		for range trials {
			a, b := make(sample, repeats), make(sample, repeats)
			for i := range repeats {
				a[i], b[i] = random.NormFloat64(), shift+random.NormFloat64()
			}
			if judge(a, b) == larger {
				n++
			}
		}
		return float64(n) / trials
	}
	for _, repeats := range []int{3, 4, 5} {
		chance, five := found(repeats, 0), found(repeats, 5)
		require.InEpsilon(t, chanceOf(repeats), chance, .4, "%d repeats", repeats)
		require.Greater(t, five, .9, "%d repeats", repeats)
		t.Logf("%d repeats: %.4f by chance, %.3f of those of 5 standard deviations", repeats, chance, five)
	}
	require.Zero(t, chanceOf(2))
}

func TestSample(t *testing.T) {
	require.InDelta(t, 2, sample{3, 1, 2}.median(), 0)
	require.InDelta(t, 2.5, sample{4, 1, 3, 2}.median(), 0)
	require.Zero(t, sample(nil).median())
	require.Equal(t, "±10.0 %", sample{90, 100, 110}.spreadText())
	require.Empty(t, sample{100}.spreadText(), "one run has no spread")
	require.Equal(t, "90.0–110", sample{110, 90, 100}.rangeText(figure))
}

func TestFormat(t *testing.T) {
	for want, got := range map[string]string{
		"1,234,567": countText(1_234_567), "−1,000": countText(-1000), "0": figure(0), "0.123": figure(.1234), "1.23": figure(1.234), "12.3": figure(12.34),
		"123": figure(123.4), "12,346": figure(12_345.6), "−1.5": fixed(-1.5, 1), "0.0": fixed(-.01, 1), "1.00": figure(.9999), "10.0": figure(9.999), "100": figure(99.96),
		"43.0 %": percent(.43, 1), "+17.5 %": signed(.175), "−52.7 %": signed(-.527), "999 bytes": bytesText(999), "1.21 GB": bytesText(1.209e9), "1.00 MB": bytesText(999_900), "0 s": secondsText(0), "0.042 s": secondsText(.042), "1.5 s": secondsText(1.54),
		"10 s": secondsText(9.96), "1:00 min": secondsText(59.7), "1:00:00 h": secondsText(3599.6), "250 k": compact(250_000), "1.5 M": compact(1.5e6), "5000": compact(5000),
	} {
		require.Equal(t, want, got)
	}
}
