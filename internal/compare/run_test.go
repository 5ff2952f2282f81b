package compare

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
	"brokerage/internal/httpapi"
	"brokerage/internal/store"
	_ "brokerage/internal/store/null"
	"brokerage/internal/telemetry"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

// short returns a comparison that takes seconds, on a machine that may be busy.
func short(t testing.TB) *comparison {
	t.Helper()
	definition, err := workload.Load("query")
	require.NoError(t, err)
	c := newComparison(&Config{
		Definition: definition, Users: 2, Seed: 1, Detect: 0.03, Tolerance: 10, Within: 30 * time.Second, Others: 1,
	})
	c.warmUp = 100 * time.Millisecond
	c.slices(20*time.Millisecond, 4)
	return c
}

// A target is equal to itself, in throughput or, at a rate, in latency. The result has what was measured of both sides.
func TestRun(t *testing.T) {
	for rate, deciding := range map[float64][]string{0: {"throughput"}, 1000: {"p50", "p99"}} {
		c := short(t)
		c.Rate = rate
		r, err := c.run(t.Context(), "null:", "null:")
		require.NoError(t, err)
		require.Equal(t, Equal, r.Verdict, r.Answer)
		require.GreaterOrEqual(t, len(r.Blocks), leastBlocks)
		require.NotEmpty(t, r.Looks)
		var decide []string
		for _, row := range append(r.Figures[:3:3], r.Transactions...) {
			require.Positive(t, row.A, row.Name)
			require.Positive(t, row.B, row.Name)
			require.LessOrEqual(t, row.Change.Low, row.Change.Estimate, row.Name)
			require.LessOrEqual(t, row.Change.Estimate, row.Change.High, row.Name)
			if row.Decides {
				decide = append(decide, row.Name)
			}
		}
		require.Equal(t, deciding, decide)
		if rate == 0 { // at a rate, some transactions are too rare
			require.Len(t, r.Transactions, 7)
		}
		require.Positive(t, r.Sides[0].Counted)
		require.Empty(t, r.Sides[0].Failed)
	}
}

// A comparison that is interrupted returns what it has.
func TestRun_Interrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := short(t)
	c.Rate = 1000
	c.Progress = func(string) { cancel() }
	r, err := c.run(ctx, "null:", "null:")
	require.True(t, errors.Is(err, drive.ErrInterrupted) || errors.Is(err, context.Canceled), err)
	require.Equal(t, Undecided, r.Verdict)
	require.Contains(t, r.Answer, "too few slices")
}

// serviceAt returns the URL of a service on null:, with or without metrics.
func serviceAt(t testing.TB, metrics bool) string {
	t.Helper()
	opened, err := store.Open(t.Context(), "null:", store.Options{})
	require.NoError(t, err)
	api := httpapi.New(opened, httpapi.Options{Metrics: telemetry.New(telemetry.BuildInfo{}), Timeout: 20 * time.Second})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" && !metrics {
			http.NotFound(w, r)
			return
		}
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// What a service does while the other is measured is seen if both report their processor time and are different
// services. What cannot be seen is noted.
func TestRun_Services(t *testing.T) {
	testenv.Long(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says the processor time")
	}
	const others, carried = "whether other programs used the machine is unknown", "whether a side keeps working"
	one, two, silent := serviceAt(t, true), serviceAt(t, true), serviceAt(t, false)
	for name, c := range map[string]struct {
		a, b            string
		others, carried bool // could be seen
	}{
		"Two": {one, two, true, true}, "Same": {one, one, true, false}, "Silent": {one, silent, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			run := short(t)
			run.Within = 4 * time.Second
			r, err := run.run(t.Context(), c.a, c.b)
			require.NoError(t, err)
			notes := strings.Join(r.Notes, "\n")
			require.Equal(t, c.others, !strings.Contains(notes, others), notes)
			require.LessOrEqual(t, strings.Count(notes, others), 1)
			require.Equal(t, c.carried, !strings.Contains(notes, carried), notes)
			require.Equal(t, c.carried, run.own[0].processor > 0 && run.own[1].processor > 0)
		})
	}
}

// A service that stops answering ends the comparison.
func TestRun_Silent(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	opened, err := store.Open(t.Context(), "null:", store.Options{})
	require.NoError(t, err)
	api := httpapi.New(opened, httpapi.Options{Metrics: telemetry.New(telemetry.BuildInfo{}), Timeout: 20 * time.Second})
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) > 50 { // in the warm-up
			<-r.Context().Done()
			return
		}
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c := short(t)
	c.Rate, c.answers = 1000, 5*time.Second
	r, err := c.run(t.Context(), "null:", server.URL)
	require.EqualError(t, err, "B, "+server.URL+": some requests of a slice had no answer 5s after its end")
	require.Nil(t, r)
}

// A command that runs before the slices of a side may print as much as it likes. One that fails ends the comparison.
func TestRun_Before(t *testing.T) {
	testenv.Long(t)
	c := short(t)
	c.Before[1] = "head -c 300000 /dev/zero | tr '\\0' x; echo; echo cannot reload; false"
	_, err := c.run(t.Context(), "null:", "null:")
	require.ErrorContains(t, err, "exit status 1: cannot reload")
}
