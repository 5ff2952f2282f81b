package result

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// k6Began is when the measured time of the runs of these tests begins.
var k6Began = time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)

// k6Line returns a sample that k6 writes ms milliseconds after k6Began. Tags are name=value.
func k6Line(metric string, ms int, value float64, tags ...string) string {
	named := map[string]string{}
	for _, tag := range tags {
		name, value, _ := strings.Cut(tag, "=")
		named[name] = value
	}
	text, _ := json.Marshal(named) // of strings
	at := k6Began.Add(time.Duration(ms) * time.Millisecond).Format(time.RFC3339Nano)
	const form = `{"metric":%q,"type":"Point","data":{"time":%q,"value":%g,"tags":%s}}` + "\n"
	return fmt.Sprintf(form, metric, at, value, text)
}

// k6Samples returns the samples of a run of two seconds in the open model, with a warm-up of three.
func k6Samples() string {
	run := `{"tool": {"name": "k6", "version": "v1.8.1"}, "seed": 1, "rampSeconds": 3, "durationSeconds": 2,
		"target": {"kind": "http", "engine": "sqlite", "url": "http://h", "sameHost": false},
		"workload": {"name": "own", "sha256": "` + strings.Repeat("0", 64) + `", "validate": true, "mix": [
			{"transaction": "get_order", "weight": 1}, {"transaction": "delete_order", "weight": 1}]},
		"model": {"kind": "open", "users": 2, "rate": 3, "everySeconds": 1},
		"dataset": {"fingerprint": "f", "scale": "tiny", "profile": "p", "seed": 1, "securities": 1, "customers": 1,
			"orders": 1}, "settings": {},
		"transactions": [{"name": "get_order", "kind": "query", "weight": 0.5},
			{"name": "delete_order", "kind": "delete", "weight": 0.5}]}`
	const machine = `{"cpu": "c", "cores": 2, "os": "o", "arch": "a"}`
	load := func(ms int, took float64, name string, outcome ...string) string {
		return k6Line(k6Times, ms, took, append(outcome, "scenario=load", "kind=any", "name="+name)...)
	}
	return k6Begins + `"data":{"name":"vus"},"metric":"vus"}` + "\n" +
		k6Line(k6Times, -2990, 10, "scenario=warmup", "kind=query", "name=get_order", "outcome=good") +
		k6Line(k6Times, -1000, 5, "scenario=warmup", "kind=prepare", "name=prepare_order", "outcome=good") +
		k6Line(k6Times, -990, 5, "scenario=warmup", "kind=prepare", "name=prepare_customer", "outcome=good") +
		load(20, 20, "get_order", "outcome=good") + // it comes before the description
		k6Line(k6Measured, 21, float64(k6Began.UnixMilli()), "run="+run, "machine="+machine) +
		k6Line("http_req_duration", 400, 3, "scenario=load", "name=get_order") +
		k6Line(k6Again, 500, 1, "scenario=load", "name=delete_order") +
		load(600, 9, "delete_order", "outcome=expected", "reason=stale") +
		load(1500, 30, "get_order", "outcome=unexpected", "reason=503 overloaded") +
		k6Line(k6Dropped, 1600, 2, "scenario=load") +
		k6Line(k6Users, 2000, 2) +
		load(2100, 700, "delete_order", "outcome=good")
}

// The samples of k6 give a result with their figures, also as two parts of a load, or compressed.
func TestReadK6(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(k6Samples()))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for name, c := range map[string]struct {
		text  string
		parts int64
	}{"Plain": {k6Samples(), 1}, "Parts": {k6Samples() + k6Samples(), 2}, "Packed": {packed.String(), 1}} {
		r, isK6, err := ReadK6(strings.NewReader(c.text))
		require.NoError(t, err, name)
		require.True(t, isK6)
		requireSchema(t, r)
		require.Equal(t, Complete, r.Ended)
		require.Equal(t, k6Began.Add(-3*time.Second), r.Started)
		require.InDelta(t, 3, r.Warmed, 1e-9)
		require.InDelta(t, 2, r.Measured, 1e-9)
		require.Equal(t, Prepared{Orders: c.parts, Customers: c.parts}, *r.Prepared)
		require.Equal(t, Arrivals{Due: 6 * c.parts, Started: 4 * c.parts, Dropped: 2 * c.parts}, *r.Arrivals)
		require.Equal(t, []int64{2 * c.parts, c.parts}, r.PerSecond)
		require.Equal(t, []int64{2 * c.parts, c.parts}, []int64{r.Intervals[0].Count, r.Intervals[1].Count})
		get, remove := r.Transactions[0], r.Transactions[1]
		require.Equal(t, []int64{2 * c.parts, c.parts}, []int64{get.Count, get.Good})
		require.Equal(t, map[string]int64{"503 overloaded": c.parts}, get.Unexpected)
		require.Equal(t, map[string]int64{"stale": c.parts}, remove.Expected)
		require.Equal(t, []int64{2 * c.parts, c.parts, c.parts, c.parts},
			[]int64{remove.Due, remove.Count, remove.Late, remove.Empty})
		require.InDelta(t, 20_000, get.Latency.Min, 20)
		require.InDelta(t, 700_000, remove.Latency.Max, 700)
		require.Contains(t, strings.Join(r.Validity.Reasons, "; "), "arrivals were dropped")
		require.Contains(t, strings.Join(r.Validity.Notes, "; "), "processor time of the load generator is not known")
	}
}

// ReadK6 refuses truncated files, files that hold no run, and impossible figures. It marks an interrupted run.
func TestReadK6_Refuses(t *testing.T) {
	t.Parallel()
	replaced := func(part, by string) string {
		require.Contains(t, k6Samples(), part)
		return strings.Replace(k6Samples(), part, by, 1)
	}
	early := k6Line(k6Times, 20, 20, "scenario=load", "kind=any", "name=get_order", "outcome=good")
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	for range 1500 {
		_, err := w.Write([]byte(k6Begins + strings.Repeat(" ", 50_000) + "\n"))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	until, _, _ := strings.Cut(k6Samples(), k6Line(k6Dropped, 1600, 2, "scenario=load"))
	before, _, _ := strings.Cut(k6Samples(), `{"metric":"measured_from"`)
	for text, says := range map[string]string{
		before: "has no sample of measured_from: k6 ended before the load began, or ran another script",
		until + replaced(`\"seed\": 1`, `\"seed\": 2`):                  "the samples are of two different runs",
		until + `{"metric":"vus","type":"Po`:                            "line 11: unexpected end of JSON input",
		replaced(`\"durationSeconds\": 2`, `\"durationSeconds\": 1e18`): "a duration of 1e+18 s",
		replaced(`\"everySeconds\": 1`, `\"everySeconds\": 1e-12`):      "intervals of 1e-12 s",
		replaced(`"value":30`, `"value":1e308`):                         "the figure 1e+308 is negative or too large",
		replaced(`"value":30`, `"value":-1`):                            "the figure -1 is negative",
		k6Begins + "}\n" + strings.Repeat(early, 100_001):               "more than 100000 samples come before measured_from",
		bomb.String(): "it unpacks to more than 67.1 MB and more than 200 times its size",
		replaced(`\"transactions\": [`, `\"transactions\": [`+strings.Repeat(`{\"name\": \"x\"}, `, 200)): "has 202",
	} {
		_, isK6, err := ReadK6(strings.NewReader(text))
		require.True(t, isK6)
		require.ErrorContains(t, err, says)
	}
	_, isK6, err := ReadK6(strings.NewReader(`{"format": "brokerage-run/1"}`))
	require.NoError(t, err)
	require.False(t, isK6)

	r, _, err := ReadK6(strings.NewReader(until + k6Line(k6Users, 450, 2)))
	require.NoError(t, err)
	require.Equal(t, Interrupted, r.Ended)
	require.InDelta(t, .45, r.Measured, 1e-9)
}

// The last interval ends with the run, even if rounding makes the sum of the intervals a nanosecond less.
func TestReadK6_Intervals(t *testing.T) {
	t.Parallel()
	text := strings.Replace(k6Samples(), `\"durationSeconds\": 2`, `\"durationSeconds\": 1282`, 1)
	text = strings.Replace(text, `\"everySeconds\": 1`, `\"everySeconds\": 64.1`, 1)
	r, _, err := ReadK6(strings.NewReader(text + k6Line(k6Users, 1_282_000, 2)))
	require.NoError(t, err)
	require.Len(t, r.Intervals, 20)
	require.InDelta(t, 1282, r.Intervals[19].To, 1e-6)
	require.Len(t, r.PerSecond, 1282, "the seconds without an answer count")
}

// A line break in a text of the samples is replaced.
func TestReadK6_LineBreaks(t *testing.T) {
	t.Parallel()
	text := strings.Replace(k6Samples(), "503 overloaded", `503\nValid: yes`, 1)
	text = strings.Replace(text, `\"engine\": \"sqlite\"`, `\"engine\": \"a\\nb\"`, 1)
	r, _, err := ReadK6(strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, "a  b", r.Target.Engine)
	require.Equal(t, map[string]int64{"503  Valid: yes": 1}, r.Transactions[0].Unexpected)
}
