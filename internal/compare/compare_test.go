package compare

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// machine is a made-up machine on which two sides are measured without a clock: the logarithm of a slice's throughput
// is that of the side plus noise.
type machine struct {
	rand   *rand.Rand
	change float64       // of B
	noise  float64       // standard deviation of a second
	lasts  float64       // seconds after which noise has forgotten itself; 0: at once
	stalls float64       // chance that a slice has half the throughput
	wave   float64       // standard deviation of a noise of A alone that lasts as long
	spoilt float64       // chance that others spoil a slice
	left   float64       // seconds of work that A leaves behind after a slice
	failed float64       // share of the answers of B that are unexpected
	grows  int64         // documents that B inserts in a slice
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
	c.run = func(_ context.Context, side int, length time.Duration) (Slice, error) {
		s := Slice{Side: side, At: c.passed().Seconds(), Values: make([]float64, firstTransaction)}
		for i := range s.Values {
			s.Values[i] = math.NaN()
		}
		s.Values[throughput], s.counted = m.slice(side, length), 1000
		if m.rand.Float64() < m.spoilt {
			s.Spoilt = "others used the machine"
		}
		c.carried[side].own.seconds += length.Seconds()
		c.carried[side].own.processor += length.Seconds()
		if side == 1 {
			s.failed = map[string]int{"503 unavailable": int(1000 * m.failed)}
			c.grown[1] += m.grows
			c.carried[0].idle.seconds += length.Seconds()
			c.carried[0].idle.processor += m.left
		}
		at = at.Add(c.Discard + length + m.late)
		return s, nil
	}
	about := &result.Run{Dataset: result.DatasetStamp{Orders: 1000, Customers: 1000}}
	c.sides, c.figures = [2]*side{{about: about}, {about: about}}, figuresOf(false, nil)
	r, err := c.measure(t.Context())
	require.NoError(t, err)
	return r
}

// share returns how many of a number of comparisons have one of the verdicts.
func share(
	t testing.TB, comparisons int, machineOf func(*rand.Rand) *machine, config Config, verdicts ...Verdict,
) float64 {
	t.Helper()
	n := 0
	for i := range comparisons {
		r := compareOn(t, machineOf(rand.New(rand.NewPCG(uint64(i), 1))), config)
		for _, v := range verdicts {
			if r.Verdict == v {
				n++
			}
		}
	}
	return float64(n) / float64(comparisons)
}

// Of two equal sides, at most one comparison in twenty finds a difference at any of its looks, on machines of several
// kinds. Without a tolerance, an interval that excludes no change ends the comparison.
func TestMeasure_HoldsError(t *testing.T) {
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
			found := share(t, comparisons, func(r *rand.Rand) *machine { one := m; one.rand = r; return &one },
				Config{Within: 6 * time.Minute, Detect: 1}, Slower, Faster)
			t.Logf("%.1f %% found a difference", 100*found)
			require.LessOrEqual(t, found, alpha+sampling)
			require.Positive(t, found, "the test can fail")
		})
	}
}

// The chance to find a difference grows with time.
func TestMeasure_PowerGrows(t *testing.T) {
	last := 0.0
	for _, within := range []time.Duration{time.Minute, 3 * time.Minute, 9 * time.Minute} {
		found := share(t, 300, func(r *rand.Rand) *machine { return &machine{rand: r, noise: 0.05, change: -0.03} },
			Config{Within: within, Detect: 0.03, Tolerance: 0.02}, Slower)
		t.Logf("%s: %.0f %%", within, 100*found)
		require.Greater(t, found, last)
		last = found
	}
	require.Greater(t, last, 0.9)
}

func TestMeasure_Verdicts(t *testing.T) {
	for name, c := range map[string]struct {
		change float64
		want   Verdict
		answer string
	}{
		"Slower": {-0.1, Slower, `^B is \d+(\.\d)? % slower \(95 %: \d+(\.\d)? to \d+(\.\d)? %\), after `},
		"Faster": {0.1, Faster, `^B is \d+(\.\d)? % faster \(95 %: \d+(\.\d)? to \d+(\.\d)? %\), after `},
		"Equal":  {0.001, Equal, `^equal within 2 % \(95 %: [−+]\d\.\d to \+\d\.\d %\), after `},
	} {
		t.Run(name, func(t *testing.T) {
			m := &machine{rand: rand.New(rand.NewPCG(7, 7)), noise: 0.02, change: c.change}
			r := compareOn(t, m, Config{Within: 10 * time.Minute, Detect: 0.03, Tolerance: 0.02})
			require.Equal(t, c.want, r.Verdict, r.Answer)
			require.Regexp(t, c.answer, r.Answer)
			require.Less(t, r.Took, 300.0, "it is decided early")
		})
	}
	t.Run("Undecided", func(t *testing.T) {
		m := &machine{rand: rand.New(rand.NewPCG(7, 7)), noise: 0.1}
		r := compareOn(t, m, Config{Within: time.Minute, Detect: 0.03, Tolerance: 0.02})
		require.Equal(t, Undecided, r.Verdict)
		require.Regexp(t, `^undecided: −\d.* to \+\d.* %; about \d+ (minute|hour)s? more would decide$`, r.Answer)
	})
}

// Slices become longer until what a side leaves behind is little of them, or the comparison is undecided.
func TestMeasure_LeftBehind(t *testing.T) {
	config := Config{Within: 10 * time.Minute, Detect: 0.03, Tolerance: 0.02}
	m := &machine{rand: rand.New(rand.NewPCG(7, 7)), noise: 0.02, change: -0.1, left: 0.08}
	r := compareOn(t, m, config)
	require.Equal(t, Slower, r.Verdict, r.Answer)
	require.InDelta(t, 4, r.SliceSeconds, 0)
	require.Len(t, r.Notes, 3)
	require.Regexp(t, `^slices of 2s from \d+.* on: A used 8 % of its processor time while the other side`, r.Notes[1])
	require.Regexp(t, `^slices of 4s from .*: A used 4 % of its processor time`, r.Notes[2])
	m.left = 1
	r = compareOn(t, m, config)
	require.Equal(t, Undecided, r.Verdict)
	require.Contains(t, r.Answer,
		"undecided: A used 12 % of its processor time while the other side was measured, even with")
}

// Slices that others spoil are repeated. If most are, the machine cannot decide.
func TestMeasure_Spoilt(t *testing.T) {
	config := Config{Within: 10 * time.Minute, Detect: 0.03, Tolerance: 0.02}
	m := &machine{rand: rand.New(rand.NewPCG(7, 7)), noise: 0.02, change: -0.1, spoilt: 0.3}
	r := compareOn(t, m, config)
	require.Equal(t, Slower, r.Verdict, r.Answer)
	require.Positive(t, r.Repeated["others used the machine"])
	require.Contains(t, r.How(), " repeated: others used the machine")
	m.spoilt = 0.9
	r = compareOn(t, m, config)
	require.Equal(t, "undecided: this machine cannot decide: others disturbed most slices", r.Answer)
	require.Less(t, r.Took, 60.0, "it does not go on")
}

// Slices that take long do not lengthen the comparison beyond its time.
func TestMeasure_Late(t *testing.T) {
	m := &machine{rand: rand.New(rand.NewPCG(7, 7)), noise: 0.02, late: 25 * time.Second}
	r := compareOn(t, m, Config{Within: time.Minute, Detect: 0.03, Tolerance: 0.02})
	require.Equal(t, Undecided, r.Verdict)
	require.Equal(t, "undecided: too few slices were measured", r.Answer)
	require.Less(t, r.Took, 87.0, "the time and a slice")
}

func TestMeasure_Invalid(t *testing.T) {
	m := &machine{rand: rand.New(rand.NewPCG(7, 7)), noise: 0.02, failed: 0.01}
	r := compareOn(t, m, Config{Within: 2 * time.Minute, Detect: 0.03, Tolerance: 0.02})
	require.Equal(t, Invalid, r.Verdict)
	require.Equal(t,
		"INVALID: 1.00 % of the answers of B were unexpected (503 unavailable); below 0.5 % is allowed", r.Answer)
}

func TestMeasure_GrownApart(t *testing.T) {
	m := &machine{rand: rand.New(rand.NewPCG(7, 7)), noise: 0.02, grows: 10}
	r := compareOn(t, m, Config{Within: 2 * time.Minute, Detect: 0.03, Tolerance: 0.02})
	require.Regexp(t, `^the data of the sides have grown apart by \d+\.\d %$`, r.Notes[len(r.Notes)-1])
}
