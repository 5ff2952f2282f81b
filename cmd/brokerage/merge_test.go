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
	"brokerage/internal/workload"
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
		"Missing":     {files[0], exitFailed, "part 2 of 2 is missing"},
		"Merged":      {files[0] + " " + file, exitFailed, "merged.json is not a part of a load"},
		"Overwritten": {files[0] + " " + files[1] + " --json " + files[1], exitUsage, "is a file that this command reads"},
	})
}

// The parts of a load are refused before any load when their flags are wrong.
func TestDrive_BadParts(t *testing.T) {
	const soon = " --start-at 2999-01-01T00:00:00Z"
	t.Setenv("JOB_COMPLETION_INDEX", "")
	requireRefusals(t, "drive --db null:", map[string]refusal{
		"NoTime":    {"--part 1/2", exitUsage, "--part requires --start-at"},
		"TooLate":   {"--part 1/2 --start-at 2001-01-01T00:00:00Z", exitFailed, "to start, 2001-01-01T00:00:00Z, was "},
		"NoZone":    {"--part 1/2 --start-at 2999-01-01T00:00:00", exitUsage, "is not a time with its zone"},
		"NoPart":    {"--part 3/2" + soon, exitUsage, `"3/2" is not a part`},
		"NotInAJob": {"--part index/2" + soon, exitUsage, "JOB_COMPLETION_INDEX is not a number here"},
		"FewUsers":  {"--part 1/3 --users 2" + soon, exitUsage, "2 users cannot be divided among 3 parts"},
	})
	t.Setenv("JOB_COMPLETION_INDEX", "2")
	var f loadPart
	require.NoError(t, f.UnmarshalText([]byte("index/4")))
	require.Equal(t, workload.Share{Number: 3, Of: 4}, f.Share)
}
