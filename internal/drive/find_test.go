package drive

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

func goal(t testing.TB, text string) Goal {
	t.Helper()
	g, err := ParseGoal(text)
	require.NoError(t, err)
	return g
}

func TestParseGoal(t *testing.T) {
	g := goal(t, "p99=20ms,errors=0.1%,get_order:p99.9=1.5s")
	require.Equal(t, []limit{
		{"p99=20ms", "", .01, 20 * time.Millisecond, 10_000},
		{"errors=0.1%", "", .001, 0, 10_000},
		{"get_order:p99.9=1.5s", "get_order", .001, 1500 * time.Millisecond, 100_000},
	}, g.limits)
	for _, text := range []string{"", "p99", "p98=20ms", "p99=0ms", "p99=-1s", "errors=1", "errors=100%", "errors=NaN%",
		"p99=5%", "errors=5ms", "p99=20ms,", "p50=1ms;p99=2ms", "get_order=5ms"} {
		_, err := ParseGoal(text)
		require.ErrorContains(t, err, "is not a goal such as p99=20ms, get_order:p99=5ms or errors=0.1%", text)
	}
	require.NoError(t, g.Check(definition(t, "mixed")))
	require.EqualError(t, goal(t, "get_oder:p99=5ms").Check(definition(t, "mixed")),
		"get_oder:p99=5ms: the workload mixed does not run get_oder")
}

// machine is a made-up target, without a clock: up to its capacity each transaction takes a millisecond, above it a
// second. The capacity differs from slice to slice.
type machine struct {
	capacity float64
	noise    float64 // standard deviation of the logarithm of the capacity in a slice
	stalls   float64 // chance that nothing is fast in a slice
	foreign  float64 // chance that others halve the capacity in a slice
	few      bool    // whether the users are few, so that transactions may have to wait
	drops    bool    // above the capacity it is not slow, but arrivals find the queue full
	sell     float64 // capacity for sell_security as a share of the whole; 0 is all of it

	rand   *rand.Rand
	at     time.Time
	slices int
	before func(slice int) // changes the machine; may be nil
}

func (m *machine) slice(_ context.Context, rate float64, length time.Duration) (s Sliced, u result.Usage, err error) {
	m.at = m.at.Add(length)
	if m.slices++; m.before != nil {
		m.before(m.slices)
	}
	capacity := m.capacity * math.Exp(m.noise*m.rand.NormFloat64())
	u.Others = new(float64)
	if m.rand.Float64() < m.foreign {
		capacity /= 2
		*u.Others = .3
	}
	if m.rand.Float64() < m.stalls {
		capacity = 0
	}
	for n := range int64(rate * length.Seconds()) {
		r := result.Record{At: time.Duration(float64(n) / rate * 1e9), Took: time.Millisecond, Transaction: int(n % 20 / 19)}
		if rate > capacity && m.drops {
			s.Lost++
			continue
		}
		if rate > capacity || m.sell > 0 && r.Transaction == 1 && rate > capacity*m.sell {
			r.Took = time.Second
		}
		r.At += r.Took
		r.Waiting = r.At > length
		s.Records = append(s.Records, r)
	}
	return s, u, nil
}

// find looks for a rate on a machine.
func (m *machine) find(t testing.TB, seed uint64, text string, first float64, within time.Duration) *result.Curve {
	t.Helper()
	m.rand = rand.New(rand.NewPCG(seed, 1))
	mix := []workload.Mixed{{Transaction: named(t, "get_order")}, {Transaction: named(t, "sell_security")}}
	users := math.MaxInt32
	if m.drops || m.few {
		users = 20
	}
	f := newFinder(RateSearch{Goal: goal(t, text), Within: within, Others: .05}, mix, users, seed)
	f.slice, f.now = m.slice, func() time.Time { return m.at }
	f.began = m.at
	require.NoError(t, f.find(t.Context(), first))
	return f.curve
}

// In at least 18 of 20 searches the interval holds the true capacity, and in at least 18 the estimate is near it,
// whatever disturbs the slices and wherever the search begins.
func TestFind_Estimate(t *testing.T) {
	testenv.Long(t)
	for name, c := range map[string]struct {
		machine machine
		first   float64 // first rate, as a share of the capacity
	}{
		"Quiet":   {machine{}, 1},
		"Noise":   {machine{noise: .03}, 1},
		"Stalls":  {machine{noise: .03, stalls: .03}, 1},
		"Foreign": {machine{noise: .03, stalls: .01, foreign: .3}, 1},
		"Mostly":  {machine{noise: .03, stalls: .01, foreign: .6}, 1}, // mostly disturbed slices
		"Drops":   {machine{noise: .03, drops: true}, 1},
		"Below":   {machine{noise: .03, stalls: .02}, .02},
		"Above":   {machine{noise: .03, stalls: .02}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held, near := 0, 0
			for seed := range uint64(20) {
				m := c.machine
				m.capacity = 500 * math.Pow(1.03, float64(seed))
				curve := m.find(t, seed, "p90=20ms", c.first*m.capacity, 20*time.Minute)
				require.Positive(t, curve.Found, "%s", curve.Answer())
				if curve.Low <= m.capacity && m.capacity <= curve.High {
					held++
				}
				if math.Abs(curve.Found/m.capacity-1) <= .1 {
					near++
				}
				requireCurve(t, curve)
				if c.machine.foreign > 0 {
					require.Positive(t, curve.Disturbed)
				}
			}
			require.GreaterOrEqual(t, held, 18)
			require.GreaterOrEqual(t, near, 18)
		})
	}
}

// requireCurve requires what holds for every curve with an estimate: each rate that met the goal has about as many
// transactions as p90 needs, and the estimate is not below half of that rate.
func requireCurve(t testing.TB, c *result.Curve) {
	t.Helper()
	for i, s := range c.Steps {
		require.True(t, i == 0 || s.Rate > c.Steps[i-1].Rate, "ascending")
		if s.Met > 0 {
			require.GreaterOrEqual(t, s.Rate*s.Seconds, 990*float64(s.Met))
			require.GreaterOrEqual(t, c.Found, s.Rate/2)
		}
		require.Equal(t, s.Misses > 0, s.Missed != "")
	}
}

// A try with a stall is repeated. If all tries of a rate stall, higher rates that meet the goal correct the estimate.
func TestFind_OneStall(t *testing.T) {
	for _, lasts := range []int{1, 4} {
		m := &machine{capacity: 5000}
		m.before = func(n int) {
			m.stalls = 0
			if n > 2 && n <= 2+lasts {
				m.stalls = 1
			}
		}
		curve := m.find(t, 1, "p99=20ms", 1000, time.Hour)
		require.InEpsilon(t, 5000, curve.Found, .1, "%s", curve.Answer())
	}
}

// At a high rate, more transactions than users may wait at the end of a slice: those of its last millisecond.
func TestFind_FewUsers(t *testing.T) {
	m := &machine{capacity: 30_000, few: true}
	curve := m.find(t, 1, "p90=20ms", 20_000, 2*time.Minute)
	require.InEpsilon(t, 30_000, curve.Found, .1, "%s", curve.Answer())
}

// Arrivals that were never begun have no times for the goal to count: if there are any, at most f.users may wait.
func TestKeepsUp(t *testing.T) {
	f := newFinder(RateSearch{Goal: goal(t, "errors=1%"), Within: time.Hour}, nil, 20, 1)
	due := waitingShare * 30_000 * f.length.Seconds()
	waiting := func(n int) []result.Record { return slices.Repeat([]result.Record{{Waiting: true}}, n) }
	require.True(t, f.keepsUp(30_000, &Sliced{Records: waiting(int(due))}))
	require.False(t, f.keepsUp(30_000, &Sliced{Records: waiting(int(due) + 1)}))
	require.True(t, f.keepsUp(30_000, &Sliced{Records: waiting(19), Lost: 1}))
	require.False(t, f.keepsUp(30_000, &Sliced{Records: waiting(20), Lost: 1}))
}

// A goal for one transaction counts only that transaction.
func TestFind_OneTransaction(t *testing.T) {
	m := &machine{capacity: 5000, sell: .6}
	curve := m.find(t, 1, "sell_security:p90=5ms,p99=100s", 5000, 10*time.Minute)
	require.InEpsilon(t, 3000, curve.Found, .1)
	require.Contains(t, curve.Steps[len(curve.Steps)-1].Missed, "sell_security:p90=5ms: 100 % took longer")

	curve = m.find(t, 1, "p90=5ms", 5000, 10*time.Minute) // 5 % of all are sell_security
	require.InEpsilon(t, 5000, curve.Found, .1)
}

// A search that finds no rate reports why.
func TestFind_NoAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		machine machine
		goal    string
		first   float64
		within  time.Duration
		says    string
	}{
		"NeverMet":  {machine{capacity: 5000}, "p99=0.5ms", 5000, 10 * time.Minute, "No rate meets p99=0.5ms: it was missed"},
		"TooFew":    {machine{capacity: 5}, "p99=20ms", 5, time.Minute, "no rate had as many transactions as the goal needs"},
		"Disturbed": {machine{capacity: 5000, foreign: .98}, "p99=20ms", 5000, 10 * time.Minute, " were disturbed, by "},
		"TooShort":  {machine{capacity: 5000}, "p99=20ms", 1000, 15 * time.Second, "a longer --within narrows"},
	} {
		curve := c.machine.find(t, 1, c.goal, c.first, c.within)
		require.Zero(t, curve.Found, name)
		require.Contains(t, curve.Answer(), c.says, name)
	}
}

// If a target becomes slower for good, there is no estimate, or one not below half of a rate that met the goal.
func TestFind_Changes(t *testing.T) {
	m := &machine{capacity: 9000}
	m.before = func(n int) {
		if n > 20 {
			m.capacity = 2000
		}
	}
	curve := m.find(t, 1, "p99=20ms", 9000, 10*time.Minute)
	require.True(t, curve.Found == 0 || curve.Found >= 4500, "%s", curve.Answer())
}

// Failed transactions miss a goal even if they are fast, unless its limit of errors allows them.
func TestGoal_Judge(t *testing.T) {
	const undecided = "undecided"
	for name, c := range map[string]struct {
		goal                  string
		records, slow, failed int
		want                  string
	}{
		"Met":        {"p99=20ms", 10_000, 100, 50, ""},
		"Slow":       {"p99=20ms", 10_000, 101, 0, "p99=20ms: 1.01 % took longer"},
		"SlowEarly":  {"p99=20ms", 1000, 100, 0, "p99=20ms: 10 % took longer"},
		"NeedsMore":  {"p99=20ms", 9999, 0, 0, undecided},
		"FewSlow":    {"p99=20ms", 100, 99, 0, undecided},
		"Refused":    {"p99=20ms", 10_000, 0, 60, "errors: 0.6 % failed"},
		"RefusedMay": {"p99=20ms,errors=1%", 10_000, 0, 60, ""},
		"Nothing":    {"p99=20ms", 0, 0, 0, undecided},
	} {
		t.Run(name, func(t *testing.T) {
			records := make([]result.Record, c.records)
			for i := range c.slow {
				records[i].Took = time.Second
			}
			for i := range c.failed {
				records[i].Outcome = result.Outcome{Class: result.Unexpected, Reason: "503 busy"}
			}
			g := goal(t, c.goal)
			counts := make([]counted, len(g.limits))
			g.count(counts, records[:len(records)/2], nil) // in several slices
			g.count(counts, records[len(records)/2:], nil)
			missed, decided := g.judge(counts)
			if !decided {
				missed = undecided
			}
			require.Equal(t, c.want, missed)
		})
	}
}

// The boundary is where the share of misses passes one half.
func TestBoundary(t *testing.T) {
	at := func(rate float64, met, misses int) result.CurveStep {
		return result.CurveStep{Rate: rate, Met: met, Misses: misses}
	}
	for name, c := range map[string]struct {
		tried     []result.CurveStep
		worst     float64
		low, high float64
	}{
		"Best":   {[]result.CurveStep{at(100, 3, 0), at(110, 3, 0), at(120, 0, 3), at(130, 0, 3)}, 0, 110, 120},
		"Single": {[]result.CurveStep{at(100, 3, 0), at(110, 1, 0), at(120, 0, 1), at(130, 0, 3)}, likely, 100, 130},
		"Open":   {[]result.CurveStep{at(100, 1, 0)}, likely, 0, math.Inf(1)},
	} {
		low, high := boundary(c.tried, c.worst)
		require.Equal(t, [2]float64{c.low, c.high}, [2]float64{low, high}, name)
	}
	require.Equal(t, []float64{0, .5, .5, 1},
		isotonic([]result.CurveStep{at(1, 2, 0), at(2, 0, 1), at(3, 1, 0), at(4, 0, 1)}, 0, 1))
}

// A store that answers one request every two milliseconds handles at most 500 a second.
func TestFind(t *testing.T) {
	turn := make(chan struct{}, 1)
	s := newStub(t, func(context.Context, *workload.Call) result.Outcome {
		turn <- struct{}{}
		time.Sleep(2 * time.Millisecond)
		<-turn
		return result.Done
	})
	p := Plan{Definition: definition(t, "query"), Users: 20, Seed: 1}
	run, err := Find(t.Context(), p, s, RateSearch{Goal: goal(t, "p50=200ms"), Others: 1, Within: 5 * time.Second})
	require.NoError(t, err)
	requireSchema(t, run)
	require.Equal(t, result.Open, run.Model.Kind)
	require.NotEmpty(t, run.Curve.Steps)
	for _, step := range run.Curve.Steps { // a busy machine may be slower, but never faster
		require.False(t, step.Rate > 600 && step.Met > step.Misses, "%+v", step)
	}
	require.Less(t, run.Curve.Found, 600.0)
}

// A curve whose interval opens again no longer reports that the target has changed.
func TestFind_Reopens(t *testing.T) {
	f := finder{curve: &result.Curve{Changed: true, Steps: []result.CurveStep{{Rate: 100, Met: 1}}}}
	f.estimate()
	require.False(t, f.curve.Changed)
}
