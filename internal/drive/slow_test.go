package drive

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/workload"
)

// requireSums checks every sum of a result: due is what was done, refused, not answered, dropped and still waiting.
func requireSums(t testing.TB, r *result.Run) {
	t.Helper()
	requireDue := func(row *result.Row) {
		t.Helper()
		require.Equal(t, row.Due, row.Good+row.Refused()+row.Unanswered+row.Dropped+row.Waiting, "%+v", row)
		require.LessOrEqual(t, row.Late, row.Waiting)
	}
	var rows result.Row
	for i := range r.Transactions {
		row := &r.Transactions[i]
		requireDue(row)
		require.Zero(t, row.Dropped)
		var refused int64
		for _, reasons := range []map[string]int64{row.Expected, row.Unexpected} {
			for _, n := range reasons {
				refused += n
			}
		}
		require.Equal(t, refused, row.Refused()+row.Unanswered, "%+v", row)
		rows.Due += row.Due
		rows.Waiting += row.Waiting
		rows.Late += row.Late
	}
	total, a := &r.Total, &result.Arrivals{Due: r.Total.Due, Started: r.Total.Due}
	if r.Arrivals != nil {
		a = r.Arrivals
	}
	requireDue(total)
	require.Equal(t, result.Row{Due: a.Started, Waiting: total.Waiting - a.Queued, Late: total.Late}, rows, "%+v", a)
	require.Equal(t, []int64{total.Due, total.Due}, []int64{a.Due, a.Started + a.Dropped + a.Queued}, "%+v", a)
}

// slowService answers the requests of workloads after a delay, and counts them.
func slowService(t testing.TB, after time.Duration) (base string, asked, answered *atomic.Int64) {
	t.Helper()
	quick, _ := serve(t, sqlitetest.Store(t))
	target, err := url.Parse(quick)
	require.NoError(t, err)
	behind := httputil.NewSingleHostReverseProxy(target)
	asked, answered = &atomic.Int64{}, &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") && !strings.HasPrefix(r.URL.Path, "/v1/dataset") {
			asked.Add(1)
			select {
			case <-time.After(after):
				answered.Add(1)
			case <-r.Context().Done():
				return
			}
		}
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked, answered
}

// Every response takes six seconds, and three are measured: nothing was done in them, and nothing counts as an error of
// the service, which would have answered.
func TestDrive_SlowService(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	base, asked, answered := slowService(t, 6*time.Second)
	c := shortly(t, "query")
	c.Users, c.Rate, c.Duration, c.Arrivals = 100, 400, 3*time.Second, Even
	r := driven(t, overHTTP(t, base), c)
	require.Zero(t, r.TPS)
	require.Zero(t, r.Goodput)
	require.Zero(t, r.Total.Count)
	require.Zero(t, r.Total.Unanswered)
	require.Empty(t, r.Total.Unexpected)
	require.Equal(t, int64(400*3), r.Total.Due)
	require.Equal(t, asked.Load(), r.Arrivals.Started, "what was never sent is not begun")
	require.Equal(t, int64(1200-100-400), r.Total.Dropped, "100 are worked on, and a second's worth waits for them")
	require.Equal(t, int64(500), r.Total.Waiting)
	require.Positive(t, r.Total.Late)
	require.LessOrEqual(t, r.Total.Late, answered.Load())
	require.GreaterOrEqual(t, r.Total.Latency.Min, 5.99e6)
	require.Contains(t, strings.Join(r.Validity.Reasons, "\n"), "still waiting when the load generator gave up")
}

// Half of the responses arrive in the measured time. A request without a response within its timeout is unanswered; for
// a call that the end of the run cuts off, that is unknown.
func TestDrive_WhoGaveUp(t *testing.T) {
	for name, c := range map[string]struct {
		answer   time.Duration // of every call
		duration time.Duration
		want     result.Row
	}{
		"Answered": {10 * time.Second, 15 * time.Second, result.Row{Due: 8, Count: 4, Good: 4, Waiting: 4}},
		"TimedOut": {time.Hour, 45 * time.Second, result.Row{
			Due: 8, Count: 4, Unexpected: map[string]int64{result.Timeout: 4}, Unanswered: 4, Waiting: 4,
		}},
		"NobodyKnows": {time.Hour, 5 * time.Second, result.Row{Due: 4, Waiting: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t, func(ctx context.Context, _ *workload.Call) result.Outcome {
				bounded, cancel := context.WithTimeout(ctx, answerWithin)
				defer cancel()
				select {
				case <-time.After(c.answer):
					return result.Done
				case <-bounded.Done():
					return workload.TimedOut // as a connection whose deadline has come
				}
			})
			synctest.Test(t, func(t *testing.T) {
				config := shortly(t, "query")
				config.Duration = c.duration
				r := driven(t, s, config)
				all := r.Total
				require.Equal(t, c.want, result.Row{
					Due: all.Due, Count: all.Count, Good: all.Good,
					Unexpected: all.Unexpected, Unanswered: all.Unanswered, Waiting: all.Waiting,
				})
				require.InDelta(t, float64(r.Total.Good)/c.duration.Seconds(), r.TPS, 1e-9)
				require.Equal(t, c.want.Due, s.calls.Load(), "nothing is begun after the end")
			})
		})
	}
}
