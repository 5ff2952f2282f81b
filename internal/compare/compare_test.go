package compare

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

// machine is a made-up machine on which two sides are measured without a clock: the logarithm of a slice's throughput
// is that of the side plus noise.
type machine struct {
	rand   *rand.Rand
	change float64       // of B
	noise  float64       // standard deviation of the noise of a second
	lasts  float64       // time constant in seconds of the correlation of the noise; 0: no correlation
	stalls float64       // chance that a slice has half the throughput
	wave   float64       // standard deviation of a noise of A alone, with the same time constant
	spoilt float64       // chance that others spoil a slice
	left   float64       // seconds of work that A leaves behind after a slice
	failed float64       // share of the answers of B that are unexpected
	grows  int64         // documents that B inserts in a slice
	busy   time.Duration // time at the beginning in which other programs use the machine
	late   time.Duration // after the end of each slice, until all is answered

	last, lastWave float64
}

func (m *machine) slice(at int, length time.Duration) float64 {
	alike := 0.0
	if m.lasts > 0 {
		alike = math.Exp(-length.Seconds() / m.lasts)
	}
	next := func(last *float64) float64 {
		*last = alike**last + math.Sqrt(1-alike*alike)*m.rand.NormFloat64()
		return *last
	}
	log := m.noise * next(&m.last) / math.Sqrt(length.Seconds())
	wave := m.wave * next(&m.lastWave)
	if at == 0 {
		log += wave
	} else {
		log += math.Log1p(m.change)
	}
	if m.rand.Float64() < m.stalls {
		log -= math.Ln2
	}
	return 1000 * math.Exp(log)
}

// compareOn runs a comparison on a machine.
func compareOn(t testing.TB, m *machine, config Config) *Result {
	t.Helper()
	config.Definition = &workload.Definition{}
	config.Seed = m.rand.Uint64()
	c := newComparison(&config)
	at := time.Time{}
	c.now = func() time.Time { return at }
	c.take = func(_ context.Context, side int, length time.Duration) (slice, error) {
		s := slice{side: side, at: c.passed().Seconds(), counted: 1000}
		s.values = slices.Repeat([]float64{math.NaN()}, firstTransaction)
		s.values[throughput] = m.slice(side, length)
		if m.rand.Float64() < m.spoilt || c.passed() < m.busy {
			s.disturbed = "other programs used the machine"
		}
		c.own[side].add(used{processor: length.Seconds()}, 1)
		if side == 1 {
			s.failed = map[string]int{"503 unavailable": int(1000 * m.failed)}
			c.result.Sides[1].Grown += m.grows
			c.idle[0].add(used{processor: m.left}, 1)
		}
		at = at.Add(c.discard + length + m.late)
		return s, nil
	}
	about := &result.Run{Dataset: result.DatasetStamp{Orders: 1000, Customers: 1000}}
	c.sides, c.figures = [2]*side{{about: about, url: "a"}, {about: about, url: "b"}}, figuresOf(false, nil)
	r, err := c.measure(t.Context())
	require.NoError(t, err)
	return r
}

// share runs comparisons on a machine, and returns the share of them that has one of the verdicts.
func share(t testing.TB, comparisons int, m machine, config Config, verdicts ...Verdict) float64 {
	t.Helper()
	n := 0
	for i := range comparisons {
		one := m
		one.rand = rand.New(rand.NewPCG(uint64(i), 1))
		if slices.Contains(verdicts, compareOn(t, &one, config).Verdict) {
			n++
		}
	}
	return float64(n) / float64(comparisons)
}

// Between two equal sides, at most one comparison in twenty finds a difference at any of its looks, on machines of
// several kinds. Without a tolerance, an interval without 0 ends the comparison.
func TestMeasure_HoldsError(t *testing.T) {
	testenv.Long(t)
	const comparisons = 400
	sampling := 3 * math.Sqrt(alpha*(1-alpha)/comparisons)
	for name, m := range map[string]machine{
		"Noise":        {noise: 0.05},
		"SlowNoise":    {noise: 0.05, lasts: 10},
		"Stalls":       {noise: 0.02, stalls: 0.03},
		"WavesOfASide": {noise: 0.03, wave: 0.03, lasts: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := share(t, comparisons, m, Config{Within: 6 * time.Minute, Detect: 1}, Slower, Faster)
			t.Logf("%.1f %% found a difference", 100*found)
			require.LessOrEqual(t, found, alpha+sampling)
			require.Positive(t, found, "the test can fail")
		})
	}
}

// The chance to find a difference grows with time.
func TestMeasure_PowerGrows(t *testing.T) {
	testenv.Long(t)
	last := 0.0
	for _, within := range []time.Duration{time.Minute, 3 * time.Minute, 9 * time.Minute} {
		found := share(t, 300, machine{noise: 0.05, change: -0.03},
			Config{Within: within, Detect: 0.03, Tolerance: 0.02}, Slower)
		t.Logf("%s: %.0f %%", within, 100*found)
		require.Greater(t, found, last)
		last = found
	}
	require.Greater(t, last, 0.9)
}

// The verdict depends on the machine, and what a user should know is noted.
func TestMeasure(t *testing.T) {
	for name, c := range map[string]struct {
		machine machine
		within  time.Duration
		most    float64 // seconds that it takes; 0: the whole time and a slice
		want    Verdict
		answer  string
		note    string // the last one
	}{
		"Slower": {machine: machine{change: -0.1}, most: 300, want: Slower,
			answer: `^B is \d+\.\d % slower \(95 %: \d+\.\d to \d+\.\d %\), after `},
		"Faster": {machine: machine{change: 0.1}, most: 300, want: Faster,
			answer: `^B is \d+\.\d % faster \(95 %: \d+\.\d to \d+\.\d %\), after `},
		"Equal": {machine: machine{change: 0.001}, most: 300, want: Equal,
			answer: `^equal within 2 % \(95 %: [−+]\d\.\d to \+\d\.\d %\), after `},
		"Undecided": {machine: machine{noise: 0.1}, within: time.Minute, want: Undecided,
			answer: `^undecided: −\d.* to \+\d.* %; about \d+ minutes? more would decide$`},
		"LeavesWork": {machine: machine{change: -0.1, left: 0.08}, want: Slower, answer: "slower",
			note: `^slices lengthened to 4s after \d.*: A used 4 % as much processor time in the slices of the other side ` +
				`as in its own$`},
		"LeavesTooMuchWork": {machine: machine{change: -0.1, left: 1}, want: Undecided,
			answer: `^undecided: A used 12 % as much processor time in the slices of the other side as in its own, ` +
				`even with slices of 8s$`},
		"Disturbed": {machine: machine{change: -0.1, spoilt: 0.3}, want: Slower, answer: "slower"},
		"MostlyDisturbed": {machine: machine{spoilt: 0.9}, most: 60, want: Undecided,
			answer: `^undecided: most slices were disturbed, by other programs or a stalled clock$`},
		"DisturbedAtFirst": {machine: machine{change: -0.1, busy: 15 * time.Second}, most: 300, want: Slower,
			answer: "slower"},
		"Late": {machine: machine{late: 25 * time.Second}, within: time.Minute, want: Undecided,
			answer: `^undecided: too few slices were measured$`},
		"Invalid": {machine: machine{failed: 0.01}, within: 2 * time.Minute, want: Invalid,
			answer: `^INVALID: 1\.00 % of the answers of B were unexpected \(503 unavailable\); below 0\.5 % is allowed$`},
		"GrownApart": {machine: machine{grows: 10}, want: Equal, answer: "equal",
			note: `^the data of the sides have grown apart by \d+\.\d %$`},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.machine
			m.rand, m.noise = rand.New(rand.NewPCG(7, 7)), cmp.Or(m.noise, 0.02)
			within := cmp.Or(c.within, 10*time.Minute)
			r := compareOn(t, &m, Config{Within: within, Detect: 0.03, Tolerance: 0.02})
			require.Equal(t, c.want, r.Verdict, r.Answer)
			require.Regexp(t, c.answer, r.Answer)
			require.Regexp(t, c.note, r.Notes[len(r.Notes)-1])
			require.Less(t, r.Took, cmp.Or(c.most, within.Seconds()+27))
			ofSide := 1000 * r.InBlock / 2
			require.Zero(t, r.Sides[0].Counted%max(ofSide, 1), "whole blocks")
			require.Equal(t, r.Sides[0].Counted, r.Sides[1].Counted)
			if len(r.Blocks) > 0 {
				require.Equal(t, ofSide*len(r.Blocks), r.Sides[0].Counted, "without slices that were too short")
			}
			require.Equal(t, m.spoilt > 0 || m.busy > 0, r.Disturbed() > 0)
			var text strings.Builder
			require.NoError(t, r.Write(&text))
			require.True(t, strings.HasPrefix(text.String(), r.Answer+"\n"), "the answer is the first line")
		})
	}
}

// With longer slices the comparison begins again: no figures, blocks or counts of shorter ones are left.
func TestLengthen(t *testing.T) {
	c := newComparison(&Config{Within: 10 * time.Minute})
	c.result = &Result{
		Figures: []Row{{Name: "throughput"}}, Transactions: []Row{{Name: "get_order"}}, Blocks: []Block{{A: 1, B: 1}},
	}
	for i := range c.result.Sides {
		c.result.Sides[i] = SideResult{Counted: 10, Failed: map[string]int{"503 unavailable": 1}}
	}
	c.own[0].written, c.idle[0].written = 100, 50
	require.True(t, c.lengthen())
	require.Equal(t, 2*quick, c.length)
	require.Empty(t, c.result.Figures)
	require.Empty(t, c.result.Transactions)
	require.Empty(t, c.result.Blocks)
	for _, side := range c.result.Sides {
		require.Zero(t, side.Counted)
		require.Empty(t, side.Failed)
	}
}

// What could not be read is unknown, and nothing is concluded from it.
func TestCarried_Unknown(t *testing.T) {
	unknown := writtenBy(probe.Reading{Figures: probe.Figures{probe.UserSeconds: 1}})
	require.True(t, math.IsNaN(unknown))
	for _, known := range []float64{0, 100, math.NaN()} {
		for _, c := range []comparison{
			{own: [2]used{{written: unknown}}, idle: [2]used{{written: known}}},
			{own: [2]used{{written: known}}, idle: [2]used{{written: unknown}}},
		} {
			require.Empty(t, c.carried())
		}
	}
}

// The ratio of a figure is the ratio of its means, even if some values are next to nothing. Slices without it are
// left out.
func TestLogRatio(t *testing.T) {
	block := []slice{
		{side: 0, values: []float64{1000}}, {side: 1, values: []float64{2000}},
		{side: 1, values: []float64{0}}, {side: 0, values: []float64{3000}}, {side: 0, values: []float64{math.NaN()}},
	}
	log, ok := logRatio(block, 0)
	require.True(t, ok)
	require.InDelta(t, math.Log(0.5), log, 1e-12)
	for _, none := range [][]slice{block[:1], {block[0], block[2]}, nil} {
		_, ok := logRatio(none, 0)
		require.False(t, ok)
	}
}

func TestInterval_String(t *testing.T) {
	require.Equal(t, "−1.2 to +4.0 %", Interval{0.01, -0.012, 0.04}.String())
	require.Equal(t, "not known yet", Interval{-0.25, -1, 32_000}.String())
}
