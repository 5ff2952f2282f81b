package drive

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// driven runs a workload to its end, and requires that the result is valid by its schema and consistent.
func driven(t testing.TB, b Target, c Plan) *result.Run {
	t.Helper()
	r, err := Run(t.Context(), c, b)
	require.NoError(t, err)
	requireResult(t, r)
	require.Equal(t, result.Complete, r.Ended)
	return r
}

// requireResult requires that a result is valid by its schema, and that its sums agree: due is what was done, refused,
// not answered, dropped and still waiting.
func requireResult(t testing.TB, r *result.Run) {
	t.Helper()
	requireSchema(t, r)
	requireDue := func(row *result.Row) {
		t.Helper()
		require.Equal(t, row.Due, row.Good+row.Refused()+row.Unanswered+row.Dropped+row.Waiting, "%+v", row)
		require.LessOrEqual(t, row.Late, row.Waiting)
	}
	var rows result.Row
	for i := range r.Transactions {
		row := &r.Transactions[i]
		requireDue(row)
		rows.Due, rows.Count, rows.Good = rows.Due+row.Due, rows.Count+row.Count, rows.Good+row.Good
		rows.Waiting, rows.Late = rows.Waiting+row.Waiting, rows.Late+row.Late
	}
	total, a := &r.Total, &result.Arrivals{Due: r.Total.Due, Started: r.Total.Due}
	if r.Arrivals != nil {
		a = r.Arrivals
	}
	requireDue(total)
	require.Equal(t, result.Row{Due: a.Started, Count: total.Count, Good: total.Good, Waiting: total.Waiting - a.Queued,
		Late: total.Late}, rows, "%+v", a)
	require.Equal(t, []int64{total.Due, total.Due}, []int64{a.Due, a.Started + a.Dropped + a.Queued}, "%+v", a)
	for _, i := range r.Intervals {
		rows.Count -= i.Count
	}
	require.True(t, rows.Count == 0 || len(r.Parts) > 0, "the intervals have all; a merged result has none")
}

// inBothModels runs a test with the rate of a closed and of an open model.
func inBothModels(t *testing.T, name string, test func(t *testing.T, rate float64)) {
	t.Run(name+"/Closed", func(t *testing.T) { test(t, 0) })
	t.Run(name+"/Open", func(t *testing.T) { test(t, 500) })
}

// Every workload runs on a real store and through the service: drawn keys exist, new documents are valid, and each
// answer belongs to its request.
func TestDrive_Workloads(t *testing.T) {
	for _, way := range []string{"Direct", "HTTP"} {
		for _, name := range workload.Names {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				backend := bothWays(t, sqlitetest.Store(t))[way]
				c := shortly(t, name)
				r := driven(t, backend, c)
				for r.Total.Count == 0 && c.Duration < time.Minute { // a busy computer
					c.Duration *= 4
					r = driven(t, backend, c)
				}
				require.Positive(t, r.Total.Good)
				require.Empty(t, r.Total.Unexpected)
				require.Equal(t, name, r.Workload.Name)
				require.Equal(t, "tpox-2/tiny/seed-1/v1/500-200-2000", r.Dataset.Fingerprint)
				require.Equal(t, tpox.StoredReady, r.Faithful["get_security_price"])
				require.InDelta(t, c.Duration.Seconds(), r.Measured, 1e-6)
				if p := definition(t, name).Prepare; p.Orders > 0 {
					require.Equal(t, int64(4*p.Orders), r.Prepared.Orders)
					require.Equal(t, int64(4*p.Customers), r.Prepared.Customers)
				}
			})
		}
	}
}

func TestDrive_Reports(t *testing.T) {
	c := shortly(t, "query")
	c.Every = 100 * time.Millisecond
	c.Think.Mean = time.Millisecond // or the clock would never move
	backend := direct(t, nullStore(t), "null:")
	synctest.Test(t, func(t *testing.T) {
		var reported []result.Interval
		c.Report = func(i result.Interval) { reported = append(reported, i) }
		r := driven(t, backend, c)
		require.InDelta(t, 4*400, r.Total.Count, 4, "each of four users, every millisecond")
		require.Len(t, r.Intervals, 4)
		require.Equal(t, r.Intervals[:3], reported)
		for n, i := range r.Intervals {
			require.InDelta(t, float64(n+1)/10, i.To, 1e-9)
		}
	})
}

// Users read and change each other's new documents: if one was deleted meanwhile, that is an expected refusal.
func TestDrive_SharedDocuments(t *testing.T) {
	c := shortly(t, "mixed")
	c.Definition.NewDocuments = workload.SharedDocuments
	c.Duration, c.Count = 0, 3000
	for _, backend := range bothWays(t, sqlitetest.Store(t)) {
		r := driven(t, backend, c)
		require.Empty(t, r.Total.Unexpected)
		require.Equal(t, workload.SharedDocuments, r.Workload.NewDocuments)
	}
	s := newStub(t, func(_ context.Context, c *workload.Call) result.Outcome {
		if c.OfNewDocument() {
			return result.Outcome{Class: result.Unexpected, Reason: result.NotFound}
		}
		return result.Done
	})
	r := driven(t, s, c)
	require.Empty(t, r.Total.Unexpected)
	require.Positive(t, r.Total.Expected[result.NotFound])
}

// A run that ends early has what was measured until then.
func TestDrive_EndsEarly(t *testing.T) {
	testenv.Long(t)
	for name, c := range map[string]struct {
		want   error
		reason string
	}{
		"Interrupted": {ErrInterrupted, "interrupted after"},
		"InTheRamp":   {ErrInterrupted, "interrupted after"},
		"TargetDies":  {ErrTargetDied, "the target died after"},
	} {
		inBothModels(t, name, func(t *testing.T, rate float64) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			url, stop := serve(t, sqlitetest.Store(t))
			p := shortly(t, "mixed")
			p.Duration, p.Every, p.Rate = time.Hour, 50*time.Millisecond, rate
			p.Report = func(i result.Interval) {
				switch {
				case i.Count > 0 && name == "TargetDies":
					stop()
				case i.Count > 0:
					cancel()
				}
			}
			if name == "InTheRamp" {
				p.Ramp, p.Begun = time.Hour, func(*result.Run) { cancel() }
			}
			r, err := Run(ctx, p, overHTTP(t, url))
			require.ErrorIs(t, err, c.want)
			requireResult(t, r)
			require.Equal(t, ending(c.want), r.Ended)
			require.Equal(t, name == "InTheRamp", r.Measured == 0)
			require.Equal(t, name == "InTheRamp", r.Total.Good == 0)
			require.Contains(t, r.Validity.Reasons[0], c.reason)
		})
	}
}

// Calls that a target leaves unanswered for a moment count as unexpected, but do not end the run.
func TestDrive_TargetComesBack(t *testing.T) {
	s := newStub(t, nil)
	s.do = func(context.Context, *workload.Call) result.Outcome {
		if s.calls.Load()%10 == 0 {
			return workload.Unanswered
		}
		time.Sleep(time.Millisecond)
		return result.Done
	}
	r := driven(t, s, shortly(t, "query"))
	require.Positive(t, r.Total.Unexpected[result.NoAnswer])
	require.Contains(t, r.Validity.Reasons[0], "unexpected (no-answer")
}

// A target that stalls for 300 ms delays all transactions that are due meanwhile. The open model measures the delay of
// each, although only one call was slow.
func TestDrive_CoordinatedOmission(t *testing.T) {
	const stall = 300 * time.Millisecond
	var stalled atomic.Bool
	s := newStub(t, func(context.Context, *workload.Call) result.Outcome {
		if !stalled.Swap(true) {
			time.Sleep(stall)
		}
		return result.Done
	})
	c := shortly(t, "query")
	c.Users, c.Rate, c.Arrivals = 1, 1000, Even
	r := driven(t, s, c)
	require.Equal(t, int64(400), r.Arrivals.Due)
	require.Zero(t, r.Arrivals.Dropped)
	require.Equal(t, r.Arrivals.Due, r.Total.Count+r.Total.Late, "the last may end after the measured time")
	require.GreaterOrEqual(t, r.Total.Latency.Max, float64(stall.Microseconds()))
	// Of 400 requests, the 200 that were due in the first 200 ms waited for 100 ms or more.
	require.GreaterOrEqual(t, r.Total.Latency.P50, 99_000.0)
	require.GreaterOrEqual(t, r.Arrivals.Late, int64(290))
}

// Arrivals beyond a queue of one second are dropped and counted.
func TestDrive_DropsArrivals(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	release := make(chan struct{})
	s := newStub(t, func(context.Context, *workload.Call) result.Outcome { <-release; return result.Done })
	c := shortly(t, "query")
	c.Users, c.Rate, c.Duration, c.Arrivals = 2, 20, 1500*time.Millisecond, Even
	time.AfterFunc(5*time.Second, func() { close(release) }) // long after the last arrival, however busy the machine is
	r := driven(t, s, c)
	require.Equal(t, int64(30), r.Arrivals.Due)
	require.Equal(t, int64(30-20-2), r.Arrivals.Dropped, "20 wait, 2 are worked on")
	require.Zero(t, r.Total.Count, "none was answered while it was measured")
	require.Equal(t, r.Arrivals.Due-r.Arrivals.Dropped, r.Total.Waiting)
	require.Equal(t, r.Total.Waiting, r.Total.Late)
	require.Contains(t, r.Validity.Reasons[len(r.Validity.Reasons)-1], "8 of 30 arrivals were dropped")
}

// dues returns the times at which the first transactions of a plan are due.
func dues(p Plan, n int) (all []int64) {
	for due := range p.dues() {
		if all = append(all, due); len(all) == n {
			break
		}
	}
	return all
}

// Evenly spaced arrivals are due at whole ticks, in the number that the rate requires, none too early and none later
// than the next tick. During a ramp their rate rises from 0. Shares of a load take them in turn.
func TestArrivals_Even(t *testing.T) {
	const rate = 3210.0
	for i, due := range dues(Plan{Rate: rate, Arrivals: Even}, 10*rate) {
		require.Zero(t, due%tick)
		require.InDelta(t, float64(i)/rate*1e9, float64(due-tick/2), float64(tick/2)+2)
	}
	p := Plan{Rate: 1000, Ramp: time.Second, Arrivals: Even}
	whole := dues(p, 3000)
	for position, due := range map[int]float64{0: 0, 125: .5e9, 500: 1e9, 1500: 2e9} {
		require.InDelta(t, due, whole[position], float64(tick))
	}
	var dealt []int64
	for number := range 3 {
		p.Share = workload.Share{Number: number + 1, Of: 3}
		dealt = append(dealt, dues(p, 1000)...)
	}
	slices.Sort(dealt)
	require.Equal(t, whole, dealt)
}

// Poisson arrivals have the rate of the plan, and their number in a tenth of a second has a variance equal to its
// mean. The same holds for the arrivals of several shares together.
func TestArrivals_Poisson(t *testing.T) {
	const rate, seconds = 1000.0, 200
	for _, shares := range []int{1, 4} {
		perTenth := make([]float64, 10*seconds)
		for number := range shares {
			p := Plan{Rate: rate, Seed: 3, Share: workload.Share{Number: number + 1, Of: shares}}
			for at := range p.dues() {
				if at >= seconds*int64(time.Second) {
					break
				}
				perTenth[at/int64(time.Second/10)]++
			}
		}
		mean, variance := 0.0, 0.0
		for _, n := range perTenth {
			mean += n / float64(len(perTenth))
		}
		for _, n := range perTenth {
			variance += (n - mean) * (n - mean) / float64(len(perTenth)-1)
		}
		require.InDelta(t, rate/10, mean, 1, "%d shares", shares)
		require.InDelta(t, mean, variance, 15, "%d shares", shares)
	}
}

// A run with a Count measures exactly that many transactions of all users, and none of its ramp.
func TestDrive_Count(t *testing.T) {
	inBothModels(t, "", func(t *testing.T, rate float64) {
		var calls atomic.Int64
		s := newStub(t, func(context.Context, *workload.Call) result.Outcome {
			calls.Add(1)
			time.Sleep(100 * time.Microsecond)
			return result.Done
		})
		c := shortly(t, "query")
		c.Duration, c.Count, c.Rate, c.Every = 0, 1001, 5*rate, 50*time.Millisecond
		r := driven(t, s, c)
		require.Equal(t, int64(1001), r.Total.Due)
		require.Equal(t, int64(1001), calls.Load())
		require.Equal(t, int64(1001), r.Model.Count)
		require.Positive(t, r.Measured)
		if rate == 0 {
			require.Equal(t, int64(1001), r.Total.Count, "nobody is cut off")
		}
		c.Ramp = 50 * time.Millisecond
		r = driven(t, s, c)
		require.Equal(t, int64(1001), r.Total.Due)
		require.Greater(t, calls.Load(), int64(2*1001), "and those of the ramp")
	})
}

// A target that does not come back ends a run, be it while users prepare or while a Count is measured.
func TestDrive_TargetIsGone(t *testing.T) {
	testenv.Long(t)
	for name, answers := range map[string]int64{"mixed": 30, "query": 500} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t, nil)
			s.do = func(context.Context, *workload.Call) result.Outcome {
				if s.calls.Load() > answers {
					return workload.Unanswered
				}
				return result.Done
			}
			s.ping = errors.New("nobody there")
			c := shortly(t, name)
			c.Duration, c.Count = 0, 1_000_000
			r, err := Run(t.Context(), c, s)
			require.ErrorIs(t, err, ErrTargetDied)
			require.ErrorContains(t, err, "nobody there")
			requireResult(t, r)
			if name == "mixed" {
				require.Zero(t, r.Total.Count)
			} else {
				require.GreaterOrEqual(t, r.Total.Good, answers)
			}
		})
	}
}
