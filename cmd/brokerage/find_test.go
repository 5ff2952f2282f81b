package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
)

// A search against a real service ends with the answer as the last line; the result has the curve, which the report
// draws.
//
// It runs alone: a rate lets this process use fewer processors (see workload.processors), which other runs would note
// as theirs.
func TestDrive_Find(t *testing.T) {
	service := serving(t, tinyDB(t))
	file := filepath.Join(t.TempDir(), "found.json")
	r := brokerage(t.Context(), "drive", "--url", service.url, "--workload", "query", "--users", "20", "--ramp", "0s",
		"--find", "p50=5s,errors=20%", "--rate", "50", "--within", "10s", "--others", "100%", "--allow-invalid", "--json",
		file)
	run := readRun(t, file)
	require.NotNil(t, run.Curve)
	require.Equal(t, "p50=5s,errors=20%", run.Curve.Goal)
	require.Equal(t, result.Open, run.Model.Kind)
	require.Contains(t, r.out, "Latency in ms at each rate")
	require.True(t, strings.HasSuffix(r.out, "\n"+run.Curve.Answer()+"\n"), r.out)
	if run.Curve.Found == 0 { // in a short time, or on a very busy machine
		require.Equal(t, exitFailed, r.code, r.err)
	} else {
		require.Equal(t, exitOK, r.code, r.err)
	}
	service.stop(t)
	r = succeeds(t, "report", "--out", "-", file)
	require.Contains(t, r.out, `id="curve"`)
}
