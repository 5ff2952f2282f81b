package drive

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/store/sqlite/sqlitetest"
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

func requireResult(t testing.TB, r *result.Run) {
	t.Helper()
	requireSchema(t, r)
	requireSums(t, r)
	var sum result.Row
	for _, row := range r.Transactions {
		sum.Count += row.Count
		sum.Good += row.Good
		if row.Count > 0 {
			l := row.Latency
			require.True(t, l.Min <= l.P50 && l.P50 <= l.P90 && l.P90 <= l.P95 && l.P95 <= l.P99 && l.P99 <= l.Max, "%+v", l)
		}
	}
	require.Equal(t, result.Row{Count: r.Total.Count, Good: r.Total.Good}, sum)
	for _, i := range r.Intervals {
		sum.Count -= i.Count
	}
	if len(r.Parts) == 0 { // a merged result has no intervals
		require.Zero(t, sum.Count, "of all intervals")
	}
}

// inBothModels runs a test with the rate of a closed and of an open model.
func inBothModels(t *testing.T, test func(t *testing.T, rate float64)) {
	for name, rate := range map[string]float64{"Closed": 0, "Open": 500} {
		t.Run(name, func(t *testing.T) { test(t, rate) })
	}
}

// Every workload on a real store and through the service: drawn keys exist, new documents are valid, and each answer is
// the one that was asked for.
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
				require.True(t, r.Validity.Smoke)
				require.InDelta(t, c.Duration.Seconds(), r.Measured, 1e-6)
				if p := definition(t, name).Prepare; p.Orders > 0 {
					want := result.Prepared{Seconds: r.Prepared.Seconds, Orders: int64(4 * p.Orders),
						Customers: int64(4 * p.Customers)}
					require.Equal(t, want, *r.Prepared)
				} else {
					require.Nil(t, r.Prepared)
				}
			})
		}
	}
}

func TestDrive_Null(t *testing.T) {
	r := driven(t, direct(t, nullStore(t), "null:"), shortly(t, "mixed"))
	require.Empty(t, r.Total.Unexpected)
	require.Empty(t, r.Validity.Reasons)
	require.Equal(t, "null", r.Target.Engine)
	require.Len(t, r.Faithful, len(tpox.Transactions))
	require.Equal(t, tpox.NothingStored, r.Faithful["get_order"])
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

// A late report covers the last complete interval; at the end of a run, none is due.
func TestConfig_ReportAt(t *testing.T) {
	const ms = time.Millisecond
	c := &Plan{Every: 100 * ms, Duration: 400 * ms}
	for passed, want := range map[time.Duration]time.Duration{
		100 * ms: 100 * ms, 130 * ms: 100 * ms, 399 * ms: 300 * ms, 400 * ms: -1, 450 * ms: -1,
	} {
		at, due := c.reportAt(passed)
		require.Equal(t, want >= 0, due, passed)
		require.True(t, !due || at == want, passed)
	}
}

// Users read, change and delete each other's new documents: what one has deleted meanwhile is an expected refusal.
func TestDrive_SharedDocuments(t *testing.T) {
	for way, backend := range bothWays(t, sqlitetest.Store(t)) {
		t.Run(way, func(t *testing.T) {
			c := shortly(t, "mixed")
			c.Definition.NewDocuments = workload.SharedDocuments
			c.Duration, c.Count = 0, 3000
			r := driven(t, backend, c)
			require.Empty(t, r.Total.Unexpected)
			require.Equal(t, workload.SharedDocuments, r.Workload.NewDocuments)
		})
	}
	s := newStub(t, func(_ context.Context, c *workload.Call) result.Outcome {
		if c.OfNewDocument() {
			return result.Outcome{Class: result.Unexpected, Reason: result.NotFound}
		}
		return result.Done
	})
	c := shortly(t, "mixed")
	c.Definition.NewDocuments = workload.SharedDocuments
	c.Duration, c.Count = 0, 3000
	r := driven(t, s, c)
	require.Empty(t, r.Total.Unexpected)
	require.Positive(t, r.Total.Expected[result.NotFound])
}

// A run that ends early has what was measured until then.
func TestDrive_EndsEarly(t *testing.T) {
	for name, c := range map[string]struct {
		want   error
		ended  result.Ending
		reason string
	}{
		"Interrupted": {ErrInterrupted, result.Interrupted, "interrupted after"},
		"TargetDies":  {ErrTargetDied, result.TargetDied, "the target died after"},
	} {
		t.Run(name, func(t *testing.T) {
			inBothModels(t, func(t *testing.T, rate float64) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				url, stop := serve(t, sqlitetest.Store(t))
				end := map[error]func(){ErrInterrupted: cancel, ErrTargetDied: stop}[c.want]
				config := shortly(t, "mixed")
				config.Duration, config.Every, config.Rate = time.Hour, 50*time.Millisecond, rate
				config.Report = func(i result.Interval) {
					if i.Count > 0 {
						end()
					}
				}
				r, err := Run(ctx, config, overHTTP(t, url))
				require.ErrorIs(t, err, c.want)
				requireResult(t, r)
				require.Equal(t, c.ended, r.Ended)
				require.Positive(t, r.Total.Good)
				require.Contains(t, r.Validity.Reasons[0], c.reason)
				require.False(t, r.Validity.Valid)
			})
		})
	}
}

// The same before anything was measured.
func TestDrive_InterruptedInTheRamp(t *testing.T) {
	inBothModels(t, func(t *testing.T, rate float64) {
		ctx, cancel := context.WithCancel(t.Context())
		c := shortly(t, "mixed")
		c.Ramp, c.Rate = time.Hour, rate
		c.Begun = func(*result.Run) { cancel() }
		r, err := Run(ctx, c, direct(t, sqlitetest.Store(t), "sqlite:b.db"))
		require.ErrorIs(t, err, ErrInterrupted)
		requireResult(t, r)
		require.Zero(t, r.Measured)
		require.Contains(t, r.Validity.Reasons, "nothing was measured")
	})
}

// A target that is unavailable for a moment causes unexpected answers, but does not end the run.
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

// result.Arrivals beyond a queue of one second are dropped and counted.
func TestDrive_DropsArrivals(t *testing.T) {
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

// position returns when the arrival at a position is due.
func (a *arrivals) position(n float64) int64 {
	a.next = n
	return a.at()
}

func TestArrivals_Schedule(t *testing.T) {
	a := newArrivals(&Plan{Rate: 1000, Ramp: time.Second, Arrivals: Even}, 1)
	require.Equal(t, int64(0), a.position(0))
	require.InDelta(t, 1e9, a.position(500), 2) // the ramp has half as many
	require.InDelta(t, 2e9, a.position(1500), 2)
	require.Equal(t, int64(3e9), newArrivals(&Plan{Rate: 1, Arrivals: Even}, 1).position(3))
}

// Even arrivals are due at whole ticks, in the number that the rate requires, none too early and none later than the
// next tick.
func TestArrivals_Tick(t *testing.T) {
	const rate = 3210.0
	a := newArrivals(&Plan{Rate: rate, Arrivals: Even}, 1)
	ticks := make(map[int64]int)
	for i := range int64(10 * rate) {
		due := a.at()
		require.Zero(t, due%tick)
		require.InDelta(t, float64(i)/rate*1e9, float64(due-tick/2), float64(tick/2)+2)
		ticks[due]++
		a.advance()
	}
	//nolint:testifylint // Len would print them all
	require.Equal(t, 10_001, len(ticks), "every tick of ten seconds has its share, both ends too")
	for due, n := range ticks {
		require.LessOrEqual(t, n, 4, "at %d", due)
	}
}

// Poisson arrivals have the rate, and in intervals of any length a variance that is their mean. So have those of
// several shares together, which draw others.
func TestArrivals_Poisson(t *testing.T) {
	const rate, seconds = 1000.0, 200
	for _, shares := range []int{1, 4} {
		perTenth := make([]float64, 10*seconds)
		for number := range shares {
			a := newArrivals(&Plan{Rate: rate, Seed: 3, Share: workload.Share{Number: number + 1, Of: shares}}, 1)
			for at := a.at(); at < seconds*int64(time.Second); at = a.at() {
				perTenth[at/int64(time.Second/10)]++
				a.advance()
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

// A run of a number of transactions measures exactly so many, however many users share them, and none of its ramp.
func TestDrive_Count(t *testing.T) {
	inBothModels(t, func(t *testing.T, rate float64) {
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

// A target that does not come back ends a run while users prepare, and a run of a number of transactions.
func TestDrive_TargetIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		workload string
		answers  int64
		recover  error
		want     string
	}{
		"Preparing": {"mixed", 0, errors.New("nobody there"), "nobody there"},
		"Counting":  {"query", 500, errors.New("nobody there"), "nobody there"},
		// It accepts connections, and says nothing.
		"Silent": {"mixed", 30, nil, "3 inserts in a row of one user had no answer (no-answer), after 30 of 220 documents"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t, nil)
			s.do = func(context.Context, *workload.Call) result.Outcome {
				if s.calls.Load() > c.answers {
					return workload.Unanswered
				}
				return result.Done
			}
			s.recover = c.recover
			config := shortly(t, c.workload)
			config.Duration, config.Count = 0, 1_000_000
			r, err := Run(t.Context(), config, s)
			require.ErrorIs(t, err, ErrTargetDied)
			require.ErrorContains(t, err, c.want)
			requireResult(t, r)
			if c.workload == "mixed" {
				require.Zero(t, r.Total.Count)
			} else {
				require.GreaterOrEqual(t, r.Total.Good, c.answers)
			}
		})
	}
}

// A user that runs out of leased ids leases more.
func TestDrive_LeasesAgain(t *testing.T) {
	leases := &shortLeases{Direct: direct(t, sqlitetest.Store(t), "sqlite:b.db")}
	r := driven(t, leases, shortly(t, "insert-orders"))
	require.Empty(t, r.Total.Unexpected)
	require.Zero(t, r.Total.Empty)
	require.Greater(t, leases.asked.Load(), int64(1))
}

type shortLeases struct {
	*Direct

	asked atomic.Int64
}

func (s *shortLeases) lease(ctx context.Context, kind string, _ int64) (tpox.Range, error) {
	s.asked.Add(1)
	return s.Direct.lease(ctx, kind, 10)
}
