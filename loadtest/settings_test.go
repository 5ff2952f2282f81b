package loadtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/testenv"
)

// Weights are relative, and other transactions do not run.
func TestK6_Weights(t *testing.T) {
	s := newService(t, true)
	o := succeed(t, s.with("WEIGHTS=get_security=1,get_order=30 USERS=4 DURATION=3s RAMP=1s ALLOW_INVALID=yes")...)
	run := o.result(t, "k6-mixed.json")
	require.Equal(t, "get_security=1,get_order=30", run.Workload.Weights)
	require.Equal(t, []result.Part{{Transaction: "get_order", Weight: 30}, {Transaction: "get_security", Weight: 1}},
		run.Workload.Mix)
	require.Len(t, run.Transactions, 2)
	require.InDelta(t, 30.0/31, run.Transactions[0].Share, 0.05)
	require.Positive(t, run.Transactions[1].Count)
}

// visits is a service behind a proxy that records when its transactions are requested, and of what.
type visits struct {
	sync.Mutex

	service

	times []time.Time
	paths []string
}

func (s service) recordVisits(t testing.TB) *visits {
	t.Helper()
	v := &visits{}
	v.service = s.behind(t, func(r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/v1/orders/") {
			v.Lock()
			v.times, v.paths = append(v.times, time.Now()), append(v.paths, r.URL.Path)
			v.Unlock()
		}
		return true
	})
	return v
}

// The think time of a user is drawn from a distribution. A busy machine can make pauses longer, but not shorter.
func TestK6_Think(t *testing.T) {
	s := newService(t, true)
	for think, c := range map[string]struct{ least, mean time.Duration }{
		"40ms..160ms":       {40 * time.Millisecond, 100 * time.Millisecond},
		"exponential:100ms": {0, 100 * time.Millisecond},
		"normal:100ms,20ms": {20 * time.Millisecond, 100 * time.Millisecond}, // four deviations
	} {
		t.Run(think, func(t *testing.T) {
			v := s.recordVisits(t)
			o := succeed(t, v.with("WEIGHTS=get_order=1 USERS=1 DURATION=6s RAMP=1s OUT=r ALLOW_INVALID=yes THINK="+think)...)
			run := o.result(t, "r.json")
			require.Equal(t, think, run.Model.ThinkText)
			require.InDelta(t, c.mean.Seconds(), run.Model.Think, 1e-9)
			require.Contains(t, o.stdout, "think time "+think)
			var gaps []time.Duration
			for i := range v.times[1:] {
				gaps = append(gaps, v.times[i+1].Sub(v.times[i]))
			}
			slices.Sort(gaps)
			require.Greater(t, len(gaps), 15)
			require.GreaterOrEqual(t, gaps[0], c.least-5*time.Millisecond, "the proxy is faster at times")
			require.Greater(t, gaps[len(gaps)*9/10]-gaps[len(gaps)/10], 20*time.Millisecond, "all alike")
			require.Greater(t, gaps[len(gaps)/2], c.mean/2)
		})
	}
}

// Steps of arrival rates make the curve of rate against latency.
func TestK6_Steps(t *testing.T) {
	s := newService(t, true)
	o := runK6(t, s.with("WORKLOAD=query STEPS=5,10,100000 USERS=3 DURATION=4s RAMP=2s")...)
	require.Zero(t, o.code, "dropped arrivals are part of it: %s%s", o.stdout, o.stderr)
	run := o.result(t, "k6-query.json")
	require.NotNil(t, run.Curve)
	require.Len(t, run.Curve.Steps, 3)
	require.Len(t, run.Intervals, 3)
	require.InDelta(t, 12, run.Measured, 0.5)
	for i, rate := range []float64{5, 10, 100000} {
		step := run.Curve.Steps[i]
		require.InDelta(t, rate, step.Rate, 1e-9)
		require.InDelta(t, 4, step.Seconds, 0.001)
		require.InDelta(t, run.Intervals[i].TPS, step.TPS, 0.001)
		require.Positive(t, step.Latency.P99)
		require.Positive(t, step.Generator)
	}
	last := run.Curve.Steps[2]
	require.Positive(t, last.Dropped)
	require.Greater(t, last.Errors, 0.5)
	require.Less(t, last.TPS, 90000.0)
	require.Zero(t, run.Curve.Steps[0].Dropped)
	require.InDelta(t, 20, run.Intervals[0].Count, 2)
	require.Regexp(t, `arrivals/s +tps +p50 +p95 +p99 +max +errors +dropped +k6\n +5 `, o.stdout)
	require.Contains(t, testenv.Text(t, filepath.Join(o.folder, "k6-query.html")), "Rate against latency")
}

// Two k6s with one seed share a load as k6-operator runs them: together they have all users, draw different numbers and
// insert different ids.
func TestK6_Parts(t *testing.T) {
	s := newService(t, true)
	v := s.recordVisits(t)
	var outcomes [2]outcome
	var both sync.WaitGroup
	for i, segment := range []string{"0:1/2", "1/2:1"} {
		settings := append(v.with("USERS=5 THINK=20ms DURATION=4s RAMP=3s EVERY=2s OUT=r ALLOW_INVALID=yes PART=auto/2"),
			"--execution-segment="+segment, "--execution-segment-sequence=0,1/2,1", fmt.Sprint("--tag=instance_id=", i+1))
		both.Go(func() { outcomes[i] = runK6(t, settings...) })
	}
	both.Wait()
	var parts []*result.Run
	users, drawn := 0, map[string]int{}
	for i, o := range outcomes {
		require.Zero(t, o.code, "%s%s", o.stdout, o.stderr)
		run := o.result(t, "r.json")
		requireSound(t, run)
		require.Equal(t, 5, run.Model.Users, "of all parts")
		require.Equal(t, i+1, run.Part.Number)
		require.Equal(t, 2, run.Part.Of)
		require.WithinDuration(t, run.Started, run.Part.StartAt, time.Hour)
		require.Zero(t, run.Total.Unexpected["409 order-exists"])
		users += run.Part.Users
		for _, row := range append(run.Transactions, run.Intervals[0].Rows...) {
			requireHistogram(t, &row)
		}
		requireHistogram(t, &run.Total)
		parts = append(parts, &run)
	}
	require.Equal(t, 5, users)
	merged, err := result.Merge([]string{"a", "b"}, parts)
	require.NoError(t, err)
	require.Equal(t, parts[0].Total.Count+parts[1].Total.Count, merged.Total.Count)
	requireSound(t, *merged)
	requireHistogram(t, &merged.Total)
	require.Equal(t, parts[0].Total.Histogram.Method, merged.Total.Histogram.Method)
	for _, path := range v.paths {
		drawn[path]++
	}
	twice := 0
	for _, n := range drawn {
		if n > 1 {
			twice++
		}
	}
	require.Less(t, twice, len(drawn)/2, "both parts draw the same orders")
}

// requireHistogram checks that the histogram of a row has as many times as the row counts, and the same ends.
func requireHistogram(t testing.TB, row *result.Row) {
	t.Helper()
	if row.Count == 0 {
		return
	}
	require.NotNil(t, row.Histogram, row.Name)
	h, err := hdrhistogram.Decode([]byte(row.Histogram.Data))
	require.NoError(t, err)
	// The times are of what was begun in the measured time: each of the five users can have one more in the count.
	require.InDelta(t, row.Count+row.Late, h.TotalCount(), float64(row.Unanswered)+5, row.Name)
	require.InEpsilon(t, row.Latency.Max*1e3, h.Max(), 0.002, row.Name)
	require.InEpsilon(t, row.Latency.Min*1e3, h.Min(), 0.002, row.Name)
}

// A histogram has the distribution of the quantiles that it is made of, here of times from 1 to 1001 ms, by the cube:
// ranks are at most half a percent too high.
func TestK6_Histogram(t *testing.T) {
	requireK6(t)
	lib, err := filepath.Abs("lib/histogram.js")
	require.NoError(t, err)
	script := testenv.File(t, "histogram.js", `import { histogram, quantileNames } from '`+lib+`';
const at = (p) => 1 + 1000 * p * p * p;
const values = { count: 100001, min: at(0), max: at(1) };
for (const name of quantileNames) values[name] = at(Number(name.slice(2, -1)) / 100);
export default function () {}
export const handleSummary = () => ({ stdout: JSON.stringify(histogram({ values })) });
`)
	out, err := exec.CommandContext(t.Context(), "./k6", "run", "--quiet", script).Output()
	require.NoError(t, err)
	var encoded result.Histogram
	require.NoError(t, json.Unmarshal(out, &encoded))
	require.Equal(t, "hdr-v2-deflate-base64", encoded.Encoding)
	h, err := hdrhistogram.Decode([]byte(encoded.Data))
	require.NoError(t, err)
	require.EqualValues(t, 100001, h.TotalCount())
	for percent, most := range map[float64]float64{1: .5, 50: .5, 90.25: .5, 95: .5, 99: .5, 99.5: .02, 99.95: .005} {
		got := float64(h.ValueAtQuantile(percent)) / 1e6
		at := func(percent float64) float64 { return 1 + percent*percent*percent/1000 }
		require.GreaterOrEqual(t, got, at(percent)*.999, "p%v", percent)
		require.LessOrEqual(t, got, at(percent+most)*1.001, "p%v", percent)
	}
}

// The parts of a load are segments of k6's own.
func TestK6_Segments(t *testing.T) {
	requireK6(t)
	found := inspect(t, "PART=2/4", "START_AT="+time.Now().Add(time.Minute).UTC().Format(time.RFC3339))
	require.Equal(t, "1/4:1/2", found.Segment)
	require.Equal(t, "0,1/4,1/2,3/4,1", found.Sequence)
	var watcher struct{ VUs int }
	require.NoError(t, json.Unmarshal(found.Scenarios["watcher"], &watcher))
	require.Equal(t, 4, watcher.VUs, "one in each part")
	require.Empty(t, inspect(t, "PART=0+1/1").Segment, "the whole load")
	require.Empty(t, inspect(t, "PART=auto/4").Segment, "k6-operator sets it")
}
