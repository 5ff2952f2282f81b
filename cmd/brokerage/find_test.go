package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
)

// A search against a real service ends with the whole run at the rate found, or says that there is none; the result has
// the curve, which the report draws.
//
// It runs alone: a rate lets this process use fewer processors (see workload.processors), which other runs would note
// as theirs.
func TestDrive_Find(t *testing.T) {
	service := serving(t, tinyDB(t))
	file := filepath.Join(t.TempDir(), "found.json")
	r := brokerage(t.Context(), "drive", "--url", service.url, "--workload", "query", "--users", "20", "--ramp", "0s",
		"--duration", "500ms", "--find", "p99=5s,errors=20%", "--rate", "50", "--step", "200ms", "--allow-invalid", "--json",
		file)
	run := readRun(t, file)
	require.NotNil(t, run.Curve)
	require.Equal(t, "p99=5s,errors=20%", run.Curve.Goal)
	require.Equal(t, result.Open, run.Model.Kind)
	require.Contains(t, r.out, "Rate against latency in ms")
	require.Regexp(t, `(?m)^50\.0 a second: p50 [\d.]+ +p99 `, r.err)
	for i, s := range run.Curve.Steps {
		require.True(t, i == 0 || s.Rate >= run.Curve.Steps[i-1].Rate, "ascending")
	}
	if run.Curve.Found == 0 { // on a very busy machine
		require.Equal(t, exitFailed, r.code, r.err)
		require.Contains(t, r.err, "no rate was found with p99=5s,errors=20%")
	} else {
		require.Equal(t, exitOK, r.code, r.err)
		require.InDelta(t, run.Curve.Found, run.Model.Rate, 0)
		require.InDelta(t, .5, run.Duration, 0)
		require.Contains(t, r.out, "which this run confirms")
	}
	service.stop(t)
	r = succeeds(t, "report", "--out", "-", file)
	require.Contains(t, r.out, `id="curve"`)
}

func TestDrive_BadFind(t *testing.T) {
	requireRefusals(t, "drive --db null:", map[string]refusal{
		"NoUnit":  {"--find p99=20", exitUsage, `"p99=20" is not a goal such as p99=20ms or errors=0.1%`},
		"Unknown": {"--find speed=5s", exitUsage, "a limit of mean, p50, p90, p95, p99, p99.9, max or errors"},
		"Part":    {"--find p99=20ms --part 1/2 --start-at 2999-01-01T00:00:00Z", exitUsage, "is for one load generator"},
		"Think":   {"--find p99=20ms --think 1s", exitUsage, "--find and --think exclude each other"},
		"Step":    {"--find p99=20ms --step 0s", exitUsage, "--step: 0s is outside of the range"},
	})
}
