package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// Two processes drive a service at once, as two pods of an Indexed Job would: their merged result has the arrivals of
// both, and no id is used by both.
func TestMerge_TwoProcesses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	service := serving(t, tinyDB(t))
	dir := t.TempDir()
	start := time.Now().Add(8 * time.Second).UTC().Format(time.RFC3339) // a busy machine starts processes slowly
	var files [2]string
	var parts [2]*exec.Cmd
	for n := range parts {
		files[n] = filepath.Join(dir, fmt.Sprintf("part-%d.json", n+1))
		parts[n] = process(t, "drive", "--url", service.url, "--users", "10", "--rate", "200", "--arrivals", "even", "--ramp",
			"0s", "--duration", "2s", "--allow-invalid", "--json", files[n], "--start-at", start, "--part", "index/2")
		parts[n].Env = append(parts[n].Env, "JOB_COMPLETION_INDEX="+strconv.Itoa(n))
		require.NoError(t, parts[n].Start())
	}
	sum := int64(0)
	for n, part := range parts {
		require.NoError(t, part.Wait()) // however long a busy machine takes
		run := readRun(t, files[n])
		require.Equal(t, n+1, run.Part.Number)
		require.Equal(t, int64(200), run.Arrivals.Due)
		sum += run.Total.Count
	}

	file := filepath.Join(dir, "merged.json")
	r := succeeds(t, "merge", files[1], files[0], "--allow-invalid", "--json", file)
	require.Contains(t, r.out, "200 arrivals a second, at most 10 at once, from 2 load generators; 2.0 s measured")
	merged := readRun(t, file)
	require.Equal(t, int64(400), merged.Arrivals.Due)
	require.Equal(t, sum, merged.Total.Count)
	require.Positive(t, merged.Total.Good)
	require.Empty(t, merged.Total.Unexpected, "such as an order that exists")
	service.stop(t)

	succeeds(t, "report", file)
	require.Contains(t, testenv.Text(t, filepath.Join(dir, "merged.html")), "Load generators")
	requireRefusals(t, "merge", map[string]refusal{
		files[0]:              {exitFailed, "part 2 of 2 is missing"},
		files[0] + " " + file: {exitFailed, "merged.json is not a part of a load"},
	})
}
