package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

// Four processes drive a service at once. Their merged result is that of one process with the same flags: as many
// arrivals, and no id is used by two of them.
func TestMerge_FourProcesses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	service := serving(t, tinyDB(t))
	dir := t.TempDir()
	flags := []string{"drive", "--url", service.url, "--users", "10", "--rate", "200", "--arrivals", "even",
		"--ramp", "0s", "--duration", "2s",
		"--every", "1s", "--seed", "3", "--allow-invalid", "--json"}
	files := driveParts(t, dir, flags)
	sum := int64(0)
	for n, file := range files {
		run := readRun(t, file)
		require.Equal(t, n+1, run.Part.Number)
		require.Equal(t, int64(100), run.Arrivals.Due)
		sum += run.Total.Count
	}

	file := filepath.Join(dir, "merged.json")
	merge := []string{"merge", files[2], files[0], files[3], files[1]}
	r := succeeds(t, append(merge, "--allow-invalid", "--json", file)...)
	require.Contains(t, r.out, "200 arrivals a second, at most 10 at once, from 4 load generators; 2.0 s measured")
	merged := readRun(t, file)
	one := filepath.Join(dir, "one.json")
	out, err := process(t, append(flags, one)...).CombinedOutput() // not in this process: see TestDrive_Find
	require.NoError(t, err, string(out))
	whole := readRun(t, one)
	require.Equal(t, whole.Arrivals.Due, merged.Arrivals.Due)
	require.Equal(t, whole.Model, merged.Model)
	require.Equal(t, whole.Dataset, merged.Dataset)
	require.Equal(t, whole.Prepared.Orders, merged.Prepared.Orders)
	require.Equal(t, sum, merged.Total.Count)
	require.Positive(t, merged.Total.Good)
	require.Empty(t, merged.Total.Unexpected, "such as an order that exists")
	require.Len(t, merged.Parts, 4)
	service.stop(t)

	succeeds(t, "report", file)
	require.Contains(t, testenv.Text(t, filepath.Join(dir, "merged.html")), "Load generators")

	requireRefusedMerges(t, files, file, one)
}

// driveParts drives four parts of a load, each in a process, as four pods of an Indexed Job would, and returns the
// files of their results.
func driveParts(t testing.TB, dir string, flags []string) (files []string) {
	t.Helper()
	start := time.Now().Add(8 * time.Second).UTC().Format(time.RFC3339) // a busy machine starts processes slowly
	var parts []*exec.Cmd
	var errs []*bytes.Buffer
	for n := range 4 {
		files = append(files, filepath.Join(dir, fmt.Sprintf("part-%d.json", n+1)))
		cmd := process(t, append(flags, files[n], "--start-at", start, "--part", "index/4")...)
		cmd.Env = append(cmd.Env, "JOB_COMPLETION_INDEX="+strconv.Itoa(n))
		errs = append(errs, &bytes.Buffer{})
		cmd.Stderr = errs[n]
		require.NoError(t, cmd.Start())
		parts = append(parts, cmd)
	}
	for n, cmd := range parts {
		require.Equal(t, exitOK, exitCode(t, cmd), errs[n].String())
	}
	return files
}

// requireRefusedMerges requires that results that are not the parts of one load are refused: files are the four parts
// of one, merged is their result, and one is that of a whole load.
func requireRefusedMerges(t *testing.T, files []string, merged, one string) {
	t.Helper()
	dir, all := filepath.Dir(merged), strings.Join(files, " ")+" "
	requireRefusals(t, "merge", map[string]refusal{
		"Missing":     {files[0] + " " + files[3], exitFailed, "parts 2, 3 of 4 are missing"},
		"Doubled":     {all + files[1], exitFailed, "are both part 2 of 4"},
		"Merged":      {all + merged, exitFailed, "merged.json is not a part of a load"},
		"Whole":       {one, exitFailed, "one.json is not a part of a load"},
		"NoFile":      {filepath.Join(dir, "none.json"), exitFailed, "no such file"},
		"NotAResult":  {filepath.Join(dir, "merged.html"), exitFailed, "a file of results is JSON"},
		"Overwritten": {all + "--json " + files[2], exitUsage, "is a file that this command reads"},
		"NoFolder":    {all + "--json " + filepath.Join(dir, "none", "x.json"), exitUsage, "no folder"},
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
