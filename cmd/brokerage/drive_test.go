package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// readRun reads the file that --json has written.
func readRun(t testing.TB, file string) (r result.Run) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, file)), &r))
	return r
}

// The result of a run with --count and --weights has both.
func TestDrive_WeightsAndCount(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.json")
	r := succeeds(t, "drive", "--db", "null:", "--users", "3", "--ramp", "0s", "--count", "2000",
		"--weights", "get_order=3,insert_order=1", "--json", file)
	require.Contains(t, r.err, "0s of warm-up, then 2,000 transactions measured")
	run := readRun(t, file)
	require.Equal(t, int64(2000), run.Total.Count)
	require.Equal(t, int64(2000), run.Model.Count)
	require.Equal(t, "get_order=3,insert_order=1", run.Workload.Weights)
	require.Equal(t, []result.Part{{Transaction: "get_order", Weight: 3}, {Transaction: "insert_order", Weight: 1}},
		run.Workload.Mix)
	require.Len(t, run.Transactions, 2)
	require.InDelta(t, 1500, run.Transactions[0].Count, 150)
}

// drive and health show a client certificate to a service that requires one.
func TestDrive_TLS(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	write := func(name string, text []byte) string { return testenv.File(t, name, string(text)) }
	ca, otherCA := write("ca.pem", ours.pem), write("other.pem", newAuthority(t).pem)
	serverCert, serverKey := ours.issue(t, 2)
	cert, key := ours.issue(t, 3)
	service := serving(t, tinyDB(t), "--tls-cert", write("server.pem", serverCert), "--tls-key",
		write("server.key", serverKey), "--tls-client-ca", ca)
	url := " --url https" + strings.TrimPrefix(service.url, "http")
	known := " --tls-client-cert " + write("client.pem", cert) + " --tls-client-key " + write("client.key", key)
	for _, command := range []string{
		"drive --users 3 --ramp 0s --duration 300ms --allow-invalid" + url, "health" + url,
	} {
		r := succeeds(t, strings.Fields(command+known+" --tls-ca "+ca)...)
		require.NotContains(t, r.out, "UNEXPECTED")
		requireRefusals(t, command, map[string]refusal{
			"--tls-ca " + ca:                {exitFailed, "certificate required"},
			known + " --tls-ca " + otherCA:  {exitFailed, "certificate signed by unknown authority"},
			"--tls-client-key " + ca:        {exitUsage, "--tls-client-cert and --tls-client-key must be used together"},
			"--tls-ca " + write("key", key): {exitFailed, "--tls-ca: there is no certificate in "},
		})
	}
	service.stop(t)
}

func TestDrive_WrongToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	trader := succeeds(t, "token", "--name", "trader", "--scope", "read,trade", "--file", file)
	reader := succeeds(t, "token", "--name", "reader", "--scope", "read", "--file", file)
	service := serving(t, tinyDB(t), "--tokens", file)
	args := []string{
		"drive", "--url", service.url, "--users", "2", "--ramp", "0s", "--duration", "200ms", "--allow-invalid",
	}
	t.Setenv("BROKERAGE_TOKEN", "")
	requireOneLine(t, brokerage(t.Context(), args...), exitFailed, "requires a valid token (401)")
	requireOneLine(t, brokerage(t.Context(), append(args, "--token", "wrong")...), exitFailed,
		"requires a valid token (401)")
	t.Setenv("BROKERAGE_TOKEN", strings.TrimSpace(reader.out))
	requireOneLine(t, brokerage(t.Context(), args...), exitFailed, "may not write (scope trade) (403)")
	require.NotContains(t, succeeds(t, append(args, "--workload", "query")...).out, "UNEXPECTED")
	t.Setenv("BROKERAGE_TOKEN", strings.TrimSpace(trader.out))
	requireOneLine(t, brokerage(t.Context(), append(args, "--workload", "classic")...), exitFailed, "scope admin")
	r := succeeds(t, args...)
	require.NotContains(t, r.out, "UNEXPECTED")
	service.stop(t)
}

func TestDrive_Prints(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.json")
	db := "sqlite:" + tinyDB(t) + "/brokerage.db"
	r := succeeds(t, "drive", "--db", db, "--users", "3", "--ramp", "0s", "--duration", "1s", "--every",
		"250ms", "--seed", "5",
		"--workload", "insert-customers", "--validate", "no", "--json", file)
	require.Contains(t, r.out, "Workload insert-customers (not validated) on sqlite:brokerage.db (direct)\n")
	require.Contains(t, r.out, "SMOKE")
	require.Regexp(t, `(?m)^ +0 s +[\d,]+ tx +[\d.,]+/s  p50 `, r.err)
	run := readRun(t, file)
	require.Equal(t, result.Format, run.Format)
	require.False(t, run.Workload.Validate)
	require.Equal(t, uint64(5), run.Seed)
	require.Equal(t, "full", run.Settings["synchronous"])
	require.NotNil(t, run.Resources.Find(result.OfStore, "brokerage_store_commits_total"))
	require.Positive(t, run.Usage.Generator.CPUSeconds)
}

// invalidWorkload returns the file of a workload whose runs are INVALID: users find almost nothing to delete, and
// choose again.
func invalidWorkload(t testing.TB) string {
	t.Helper()
	return testenv.File(t, "own.json", `{"name": "own", "mix": [`+
		`{"transaction": "insert_order", "weight": 1}, {"transaction": "delete_order", "weight": 50}]}`)
}

// INVALID results are written like any others, and have their own exit code unless they are allowed.
func TestDrive_Invalid(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.json")
	args := []string{ // a slow disk would leave no time to draw a deletion
		"drive", "--db", "null:", "--json", file, "--users", "2", "--ramp", "0s", "--duration", "2s", "--rate", "300",
		"--workload", invalidWorkload(t),
	}
	r := brokerage(t.Context(), args...)
	require.Equal(t, exitInvalid, r.code, r.err)
	require.Contains(t, r.out, "INVALID: ")
	require.Contains(t, r.err, "nothing of the user's own to delete")
	require.FileExists(t, file)
	require.NoError(t, os.Remove(file))
	r = succeeds(t, append(args, "--allow-invalid")...)
	require.Contains(t, r.out, "INVALID: ")
	require.FileExists(t, file)
}

// The text of a search against a real service ends with the Answer. The file has the curve, which the report draws.
func TestDrive_Find(t *testing.T) {
	testenv.Long(t)
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

const examples = "../../loadtest/examples/"

// The example workload logging runs its own SQL on PostgreSQL, without a dataset: what was inserted is there, and
// sessions are found by day.
func TestDrive_Logging(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	server := pgtest.Shared(t)
	database := server.Database(t)
	file := filepath.Join(t.TempDir(), "r.json")
	drive := func(args ...string) exited {
		return brokerage(t.Context(), append([]string{"drive", "--db", server.URL(database), "--workload",
			examples + "logging/logging.json", "--users", "4", "--ramp", "0s", "--json", file}, args...)...)
	}
	r := drive("--count", "2000")
	require.Equal(t, exitOK, r.code, r.err)
	require.NotContains(t, r.out, "UNEXPECTED")
	run := readRun(t, file)
	require.Equal(t, int64(2000), run.Total.Good, r.out)
	require.Equal(t, "none", run.Dataset.Fingerprint)
	rows := make(map[string]result.Row)
	for _, row := range run.Transactions {
		rows[row.Name] = row
	}
	require.Positive(t, rows["session_day"].Good)
	conn := server.Connect(t, database)
	one := func(query string) (n int64) {
		require.NoError(t, conn.QueryRow(t.Context(), query, pgx.QueryExecModeExec).Scan(&n))
		return n
	}
	require.Equal(t, rows["log_entry"].Good, one("SELECT sum(entries) FROM log_session"))
	require.Equal(t, int64(0), one("SELECT count(*) FROM log_session WHERE entries = 0"))
	_, err := conn.Exec(t.Context(), "DROP INDEX log_entry_day; ALTER TABLE log_session RENAME entries TO n")
	require.NoError(t, err)
	requireOneLine(t, drive("--count", "20"), exitFailed,
		`the transaction log_entry: ERROR: column "entries" of relation "log_session"`)
}

// Two processes drive a service at once, as two pods of an Indexed Job would: their merged result has the arrivals of
// both, and no id is used by both.
func TestMerge_TwoProcesses(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
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
	requireOneLine(t, brokerage(t.Context(), "merge", files[0]), exitFailed, "part 2 of 2 is missing")
}
