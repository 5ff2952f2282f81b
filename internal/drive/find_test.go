package drive

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
)

func goal(t testing.TB, text string) Goal {
	t.Helper()
	g, err := ParseGoal(text)
	require.NoError(t, err)
	return g
}

func TestParseGoal(t *testing.T) {
	require.Equal(t, []limit{{"p99", 20_000}, {"errors", .001}, {"p99.9", 1_500_000}},
		goal(t, "p99=20ms,errors=0.1%,p99.9=1.5s").limits)
	for _, text := range []string{"", "p99", "p99=20", "p98=20ms", "p99=0ms", "p99=-1s", "errors=1", "errors=100%",
		"errors=NaN%", "p99=5%", "errors=5ms", "p99=20ms,", "=", "mean=1ms;max=2ms"} {
		_, err := ParseGoal(text)
		require.ErrorContains(t, err, "is not a goal such as p99=20ms or errors=0.1%", text)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := ParseGoal("p99=20ms,p99=30ms")
	require.EqualError(t, err, "p99 has two limits")
}

// target is a made-up target with a queue: its latency grows without limit towards its capacity. A run of it has what
// Find looks at.
type target struct {
	capacity float64
	runs     []Plan
	tweak    func(n int, c Plan, r *result.Run) error
}

func (t *target) drive(_ context.Context, c Plan) (*result.Run, error) {
	t.runs = append(t.runs, c)
	due := int64(c.Rate * c.Duration.Seconds())
	r := &result.Run{
		Model: result.Model{Kind: result.Open, Users: c.Users, Rate: c.Rate}, Measured: c.Duration.Seconds(), TPS: c.Rate,
		Target: result.Target{Kind: result.HTTP}, Machine: result.Machine{Cores: 2},
		Total: result.Row{Due: due, Count: due, Good: due},
	}
	if load := c.Rate / t.capacity; load < 1 {
		r.Total.Latency = result.Latency{P50: 500 / (1 - load), P99: 1000 / (1 - load)}
	} else {
		r.Total.Dropped = due / 2
		r.Total.Count -= due / 2
		r.Total.Latency = result.Latency{P50: 1e6, P99: 1e6}
	}
	if t.tweak != nil {
		return r, t.tweak(len(t.runs), c, r)
	}
	return r, nil
}

func (t *target) find(tb testing.TB, text string) (*result.Run, error) {
	tb.Helper()
	c := Plan{Definition: definition(tb, "query"), Users: 50, Duration: time.Minute, Ramp: 20 * time.Second, Seed: 7}
	f := &finder{RateSearch: RateSearch{Goal: goal(tb, text), Step: 10 * time.Second}, plan: c, drive: t.drive}
	return f.find(tb.Context())
}

// The rate at which the made-up target has p99 = 20 ms is 19/20 of its capacity.
func TestFind(t *testing.T) {
	for _, capacity := range []float64{3, 90, 100, 4321, 250_000} {
		at := target{capacity: capacity}
		r, err := at.find(t, "p99=20ms")
		require.NoError(t, err)
		require.LessOrEqual(t, r.Curve.Found, capacity*19/20)
		require.GreaterOrEqual(t, r.Curve.Found, capacity*19/20/precision/1.01, "and the three digits")
		require.Equal(t, "p99=20ms", r.Curve.Goal)
		require.Len(t, r.Curve.Steps, len(at.runs))
		for i, s := range r.Curve.Steps {
			require.True(t, i == 0 || s.Rate >= r.Curve.Steps[i-1].Rate, "ascending")
			require.Equal(t, s.Rate <= capacity*19/20, s.Met, "%+v", s)
			require.Equal(t, s.Met, s.Missed == "")
		}
		whole := at.runs[len(at.runs)-1]
		require.InDelta(t, r.Curve.Found, whole.Rate, 0)
		require.Equal(t, time.Minute, whole.Duration)
		require.Equal(t, uint64(7), whole.Seed)
		seeds := map[uint64]bool{}
		for _, c := range at.runs {
			seeds[c.Seed] = true
		}
		require.Len(t, seeds, len(at.runs), "each draws others")
	}
}

func TestFind_Limits(t *testing.T) {
	at := target{capacity: 1e9}
	r, err := at.find(t, "p99=20ms")
	require.NoError(t, err)
	require.InDelta(t, MaxRate, r.Curve.Found, 0, "no run is above it")

	at = target{capacity: 1e9}
	r, err = at.find(t, "p99=0.5ms")
	require.NoError(t, err)
	require.Zero(t, r.Curve.Found)
	require.LessOrEqual(t, r.Curve.Steps[0].Rate, 2*leastRate)
	require.Equal(t, "p99 1.000 ms", r.Curve.Steps[0].Missed)

	dead := errors.New("dead")
	at = target{capacity: 1000, tweak: func(n int, _ Plan, _ *result.Run) error {
		if n == 3 {
			return dead
		}
		return nil
	}}
	r, err = at.find(t, "p99=20ms")
	require.ErrorIs(t, err, dead)
	require.ErrorContains(t, err, "after 2 runs: ")
	require.Len(t, r.Curve.Steps, 2)
	require.Zero(t, r.Curve.Found)
}

// A rate counts only if a whole run meets the goal at it; otherwise a lower one is tried.
func TestFind_Confirms(t *testing.T) {
	wholes := 0
	for fails, found := range []float64{911, 868, 789, 658, 470, 261, 0} {
		wholes = 0
		at := target{capacity: 1000, tweak: func(_ int, c Plan, r *result.Run) error {
			if c.Duration == time.Minute {
				if wholes++; wholes <= fails {
					r.Total.Latency.P99 = 21_000
				}
			}
			return nil
		}}
		r, err := at.find(t, "p99=20ms")
		require.NoError(t, err)
		require.Equal(t, min(fails+1, confirmations), wholes)
		if found > 0 {
			require.InEpsilon(t, found, r.Curve.Found, .005)
		} else {
			require.Zero(t, r.Curve.Found)
		}
	}
}

// Answers that are fast because they are refusals meet no goal, nor does a rate at which a queue grows.
func TestGoal_Missed(t *testing.T) {
	for name, c := range map[string]struct {
		goal   string
		total  result.Row
		missed string
	}{
		"Met":      {"p99=20ms", result.Row{Due: 1000, Count: 990, Waiting: 10, Late: 10}, ""},
		"Expected": {"errors=0%", result.Row{Due: 1000, Count: 1000, Expected: map[string]int64{"not-held": 30}}, ""},
		"Refused": {"p99=20ms", result.Row{Due: 1000, Count: 1000, Unexpected: map[string]int64{"503 busy": 6}},
			"errors 0.6 %"},
		"RefusedMay": {"errors=1%", result.Row{Due: 1000, Count: 1000, Unexpected: map[string]int64{"503 busy": 6}}, ""},
		"Dropped":    {"errors=0.1%", result.Row{Due: 1000, Count: 998, Dropped: 2}, "errors 0.2 %"},
		"NeverEnded": {"errors=0.1%", result.Row{Due: 1000, Count: 990, Waiting: 10, Late: 8}, "errors 0.2 %"},
		"Slow":       {"p99=20ms", result.Row{Due: 1000, Count: 1000, Latency: result.Latency{P99: 20_001}}, "p99 20.00 ms"},
		"Behind": {"errors=0.1%", result.Row{Due: 1000, Count: 900, Waiting: 100, Late: 100},
			"100 were waiting at the end"},
		"NothingDone": {"p99=20ms", result.Row{}, "nothing was measured"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.missed, goal(t, c.goal).missed(&result.Run{Model: result.Model{Users: 50}, Total: c.total}))
		})
	}
}
