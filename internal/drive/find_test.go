package drive

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
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
	require.Equal(t, limit{"p99=20ms", "", "p99", .01, 20 * time.Millisecond, 10_000}, g.limits[0])
	require.Equal(t, limit{"errors=0.1%", "", "errors", .001, 0, 10_000}, g.limits[1])
	require.Equal(t, limit{"get_order:p99.9=1.5s", "get_order", "p99.9", .001, 1500 * time.Millisecond, 100_000},
		g.limits[2])
	for _, text := range []string{"", "p99", "p99=20", "p98=20ms", "p99=0ms", "p99=-1s", "errors=1", "errors=100%",
		"errors=NaN%", "p99=5%", "errors=5ms", "p99=20ms,", "=", "p50=1ms;p99=2ms", "max=1s", "get_order=5ms"} {
		_, err := ParseGoal(text)
		require.ErrorContains(t, err, "is not a goal such as p99=20ms, get_order:p99=5ms or errors=0.1%", text)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := ParseGoal("p99=20ms,p99=30ms")
	require.EqualError(t, err, "p99 has two limits")
	_, err = ParseGoal("get_order:p99=20ms,p99=1s,get_order:p99=30ms")
	require.EqualError(t, err, "get_order:p99 has two limits")
	require.NoError(t, g.Check(definition(t, "mixed")))
	require.EqualError(t, goal(t, "get_oder:p99=5ms").Check(definition(t, "mixed")),
		"get_oder:p99=5ms: the workload mixed does not run get_oder")
}

// machine is a made-up target, without a clock: up to its capacity each transaction takes a millisecond, and above it
// all take longer than the goal. The capacity differs from slice to slice.
type machine struct {
	capacity float64
	noise    float64 // standard deviation of the logarithm of the capacity in a slice
	stalls   float64 // chance that nothing is fast in a slice
	foreign  float64 // chance that others halve the capacity in a slice
	sell     float64 // the capacity as far as sell_security is concerned, as a share; 0 is all of it

	rand   *rand.Rand
	at     time.Time
	rates  []float64
	broken func(slices int) error
}

func (m *machine) slice(_ context.Context, rate float64, length time.Duration) (s Sliced, u result.Usage, err error) {
	m.rates = append(m.rates, rate)
	m.at = m.at.Add(length)
	if m.broken != nil {
		if err := m.broken(len(m.rates)); err != nil {
			return s, u, err
		}
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
func (m *machine) find(
	t testing.TB, seed uint64, text string, first float64, within time.Duration,
) (*result.Curve, error) {
	t.Helper()
	m.rand = rand.New(rand.NewPCG(seed, 1))
	mix := []workload.Mixed{{Transaction: named(t, "get_order")}, {Transaction: named(t, "sell_security")}}
	f := newFinder(RateSearch{Goal: goal(t, text), Within: within, Others: .05}, mix, math.MaxInt32, seed)
	f.slice, f.now = m.slice, func() time.Time { return m.at }
	f.began = m.at
	err := f.find(t.Context(), first)
	return f.curve, err
}

// The interval holds the true capacity and the estimate is near it, whatever disturbs the slices and wherever the
// search begins.
func TestFind_Estimate(t *testing.T) {
	for name, c := range map[string]struct {
		machine machine
		first   float64 // of the capacity
	}{
		"Quiet":   {machine{}, 1},
		"Noise":   {machine{noise: .03}, 1},
		"Stalls":  {machine{noise: .03, stalls: .03}, 1},
		"Foreign": {machine{noise: .03, stalls: .01, foreign: .3}, 1},
		"Below":   {machine{noise: .03, stalls: .02}, .02},
		"Above":   {machine{noise: .03, stalls: .02}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held, near := 0, 0
			for seed := range uint64(20) {
				m := c.machine
				m.capacity = 500 * math.Pow(1.03, float64(seed))
				curve, err := m.find(t, seed, "p90=20ms", c.first*m.capacity, 20*time.Minute)
				require.NoError(t, err)
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

// requireCurve requires what holds for every curve: each rate has as many transactions as p90 needs or has missed it,
// and the answer is not below half of what met the goal.
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

// A stall during the tries of one rate is repeated, and one that lasts for all of them is found out by the rates above.
func TestFind_OneStall(t *testing.T) {
	for _, lasts := range []int{1, 4} {
		m := &machine{capacity: 5000}
		m.broken = func(n int) error {
			m.stalls = 0
			if n > 2 && n <= 2+lasts {
				m.stalls = 1
			}
			return nil
		}
		curve, err := m.find(t, 1, "p99=20ms", 1000, time.Hour)
		require.NoError(t, err)
		require.InEpsilon(t, 5000, curve.Found, .1, "%s", curve.Answer())
	}
}

// Tries around the boundary are not in the order of their rates.
func TestFind_Order(t *testing.T) {
	m := &machine{capacity: 5000}
	_, err := m.find(t, 1, "p99=20ms", 5000, 10*time.Minute)
	require.NoError(t, err)
	require.False(t, slices.IsSorted(m.rates))
}

// A goal of one transaction is one, and needs as many of these.
func TestFind_OneTransaction(t *testing.T) {
	m := &machine{capacity: 5000, sell: .6}
	curve, err := m.find(t, 1, "sell_security:p90=5ms,p99=100s", 5000, 10*time.Minute)
	require.NoError(t, err)
	require.InEpsilon(t, 3000, curve.Found, .1)
	require.Contains(t, curve.Steps[len(curve.Steps)-1].Missed, "sell_security:p90=5ms: 100 % took longer")

	curve, err = m.find(t, 1, "p90=5ms", 5000, 10*time.Minute) // 5 % of all are sell_security
	require.NoError(t, err)
	require.InEpsilon(t, 5000, curve.Found, .1)
}

// A search that finds no rate says why.
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
		"Disturbed": {machine{capacity: 5000, foreign: .8}, "p99=20ms", 5000, 10 * time.Minute, "others disturbed "},
		"TooShort":  {machine{capacity: 5000}, "p99=20ms", 1000, 15 * time.Second, "a longer --within says more"},
	} {
		curve, err := c.machine.find(t, 1, c.goal, c.first, c.within)
		require.NoError(t, err, name)
		require.Zero(t, curve.Found, name)
		require.Contains(t, curve.Answer(), c.says, name)
		if name == "NeverMet" {
			require.LessOrEqual(t, curve.Steps[0].Rate, 50.0, "a hundredth of the first rate")
		}
	}
}

// The speed of a target changes for good, or it dies.
func TestFind_Changes(t *testing.T) {
	m := &machine{capacity: 9000}
	m.broken = func(n int) error {
		if n > 20 {
			m.capacity = 2000
		}
		return nil
	}
	curve, err := m.find(t, 1, "p99=20ms", 9000, 10*time.Minute)
	require.NoError(t, err)
	require.True(t, curve.Found == 0 || curve.Found >= 4500, "%s", curve.Answer())

	dead := errors.New("dead")
	m = &machine{capacity: 1000, broken: func(n int) error {
		if n > 2 {
			return dead
		}
		return nil
	}}
	curve, err = m.find(t, 1, "p50=20ms", 500, time.Minute)
	require.ErrorIs(t, err, dead)
	require.NotEmpty(t, curve.Steps)
}

// Answers that are fast because they are refusals meet no goal, nor does a rate at which a queue grows.
func TestTry_Judge(t *testing.T) {
	refused := result.Outcome{Class: result.Unexpected, Reason: "503 busy"}
	for name, c := range map[string]struct {
		goal          string
		records, slow int
		failed, lost  int
		waiting       bool
		missed        string
		needsMore     bool
	}{
		"Met":        {goal: "p99=20ms", records: 10_000, slow: 100, failed: 50},
		"Slow":       {goal: "p99=20ms", records: 10_000, slow: 101, missed: "p99=20ms: 1.01 % took longer"},
		"SlowEarly":  {goal: "p99=20ms", records: 1000, slow: 100, missed: "p99=20ms: 10 % took longer"},
		"NeedsMore":  {goal: "p99=20ms", records: 9999, needsMore: true},
		"FewSlow":    {goal: "p99=20ms", records: 100, slow: 99, needsMore: true},
		"Refused":    {goal: "p99=20ms", records: 10_000, failed: 60, missed: "errors: 0.6 % failed"},
		"RefusedMay": {goal: "p99=20ms,errors=1%", records: 10_000, failed: 60},
		"Dropped":    {goal: "p99=20ms", records: 10_000, lost: 60, missed: "60 were waiting at the end"},
		"Behind":     {goal: "p99=20ms", records: 10_000, waiting: true, missed: "10000 were waiting at the end"},
		"Nothing":    {goal: "p99=20ms", needsMore: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := Sliced{Lost: int64(c.lost), Records: make([]result.Record, c.records)}
			for i := range s.Records {
				r := &s.Records[i]
				r.Waiting = c.waiting
				if i < c.slow {
					r.Took = time.Second
				}
				if i < c.failed {
					r.Outcome = refused
				}
			}
			g, counted := goal(t, c.goal), try{}
			counted.count(g, &s, nil)
			missed, decided := counted.judge(g, 50)
			require.Equal(t, !c.needsMore, decided)
			if decided {
				require.Equal(t, c.missed, missed)
			}
		})
	}
}

// The boundary is where the share of misses passes one half, and two misses below two that met are no boundary.
func TestBoundary(t *testing.T) {
	low, high := boundary([]tries{{100, 3, 0}, {110, 3, 0}, {120, 0, 3}, {130, 0, 3}}, 0)
	require.Equal(t, [2]float64{110, 120}, [2]float64{low, high})
	low, high = boundary([]tries{{100, 3, 0}, {110, 1, 0}, {120, 0, 1}, {130, 0, 3}}, likely)
	require.Equal(t, [2]float64{100, 130}, [2]float64{low, high}, "single tries say little")
	low, high = boundary([]tries{{100, 1, 0}}, likely)
	require.Equal(t, [2]float64{0, math.Inf(1)}, [2]float64{low, high})
	require.Equal(t, []float64{0, .5, .5, 1}, isotonic([]tries{{1, 2, 0}, {2, 0, 1}, {3, 1, 0}, {4, 0, 1}}, 0, 1))
}

// A real server that answers one request every two milliseconds holds 500 a second.
func TestFind_Server(t *testing.T) {
	s := nullStore(t)
	url, _ := serve(t, s)
	turn := make(chan struct{}, 1)
	to, err := neturl.Parse(url)
	require.NoError(t, err)
	behind := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		turn <- struct{}{}
		time.Sleep(2 * time.Millisecond)
		<-turn
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p := Plan{Definition: definition(t, "query"), Users: 20, Seed: 1}
	run, err := Find(t.Context(), p, overHTTP(t, server.URL), RateSearch{Goal: goal(t, "p50=200ms"), Others: 1,
		Within: 10 * time.Second})
	require.NoError(t, err)
	requireSchema(t, run)
	require.Equal(t, result.Open, run.Model.Kind)
	require.NotEmpty(t, run.Curve.Steps)
	for _, step := range run.Curve.Steps { // a busy machine may be slower, but never faster
		require.False(t, step.Rate > 1000 && step.Met > step.Misses, "%+v", step)
	}
	require.Less(t, run.Curve.Found, 1000.0)
}
