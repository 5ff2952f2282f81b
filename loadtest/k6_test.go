package loadtest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/httpapi"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/telemetry"
	"brokerage/internal/testenv"
	"brokerage/internal/testenv/schematest"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// requireK6 skips a test unless BROKERAGE_TEST_REQUIRE names k6: all of them take minutes, and one more to build k6.
func requireK6(t testing.TB) {
	t.Helper()
	if !testenv.Required("k6") {
		testenv.Missing(t, "k6", "the runs of k6 take minutes: BROKERAGE_TEST_REQUIRE=k6 runs them")
	}
	testenv.Command(t, "sh")
	out, err := exec.CommandContext(t.Context(), "./k6", "version").CombinedOutput()
	require.NoError(t, err, "k6 is not available: %s", out)
}

// service is a service over a tiny database, for one test of k6.
type service struct {
	*httptest.Server

	token, reader string // with all scopes, and with scope read
}

// with returns settings of a run against the service, and others, which are separated by spaces.
func (s service) with(others string) []string {
	return append([]string{"BASE_URL=" + s.URL, "TOKEN=" + s.token}, strings.Fields(others)...)
}

func newService(t testing.TB, fill bool) service {
	t.Helper()
	requireK6(t)
	path := filepath.Join(t.TempDir(), "brokerage.db")
	if fill {
		path = sqlitetest.Tiny(t)
	}
	opened, err := sqlite.Open(t.Context(), path, store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	file := filepath.Join(t.TempDir(), "tokens")
	all := []access.Scope{access.Read, access.Trade, access.Admin}
	token, err := access.Add(file, access.Client{Name: "load", Scopes: all})
	require.NoError(t, err)
	reader, err := access.Add(file, access.Client{Name: "reader", Scopes: []access.Scope{access.Read}})
	require.NoError(t, err)
	tokens, err := access.Load(file)
	require.NoError(t, err)
	handler := httpapi.New(opened, httpapi.Options{
		Tokens: tokens, Metrics: telemetry.New(telemetry.BuildInfo{}), Timeout: 10 * time.Second,
		InFlight: 256, Queue: 256, QueueWait: time.Second,
	})
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return service{server, token, reader}
}

// behind returns the service behind a proxy, which passes on the requests for which do returns true.
func (s service) behind(t testing.TB, do func(r *http.Request) bool) service {
	t.Helper()
	target, err := url.Parse(s.URL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if do(r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return service{server, s.token, s.reader}
}

// outcome is the result of a run of k6.
type outcome struct {
	code   int
	stdout string
	stderr string
	folder string
}

// runK6 runs the script with settings as NAME=value, in a new folder.
func runK6(t testing.TB, settings ...string) outcome {
	t.Helper()
	return runWith(t, "k6", t.TempDir(), settings...)
}

// succeed runs the script as runK6 does, and requires that it exits with 0.
func succeed(t testing.TB, settings ...string) outcome {
	t.Helper()
	o := runK6(t, settings...)
	require.Zero(t, o.code, "%s%s", o.stdout, o.stderr)
	return o
}

func runWith(t testing.TB, k6, folder string, settings ...string) outcome {
	t.Helper()
	k6, err := filepath.Abs(k6)
	require.NoError(t, err)
	script, err := filepath.Abs("brokerage.js")
	require.NoError(t, err)
	arguments := append([]string{"run", "--quiet", "--no-color", "--no-usage-report", script}, asArguments(settings)...)
	o := outcome{folder: folder}
	cmd := exec.CommandContext(t.Context(), k6, arguments...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // for k6 behind the wrapper, too
	cmd.Dir = o.folder
	cmd.Env = append(os.Environ(), "PWD="+o.folder)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%s", stderr.String())
	}
	o.code, o.stdout, o.stderr = cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	return o
}

// result reads the result that a run wrote and checks it against its schema.
func (o outcome) result(t testing.TB, name string) (run result.Run) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(o.folder, name))
	require.NoError(t, err, "%s%s", o.stdout, o.stderr)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&run))
	schematest.Require(t, schematest.Compile(t, result.Schema), text)
	return run
}

// requireSound checks that a result is consistent and has few unexpected refusals.
func requireSound(t testing.TB, run result.Run) {
	t.Helper()
	require.Equal(t, result.Complete, run.Ended)
	require.Positive(t, run.Total.Count)
	require.Positive(t, run.TPS)
	var count, unexpected int64
	for _, row := range run.Transactions {
		count += row.Count
		for reason, n := range row.Unexpected {
			t.Logf("%s: %s %d", row.Name, reason, n)
			unexpected += n
		}
		require.LessOrEqual(t, row.Good, row.Count, row.Name)
		if row.Count > 0 {
			l := row.Latency
			require.LessOrEqual(t, l.Min, l.P50, row.Name)
			require.LessOrEqual(t, l.P50, l.P99, row.Name)
			require.LessOrEqual(t, l.P99, l.Max+0.01, row.Name)
		}
	}
	require.Equal(t, run.Total.Count, count)
	requireSums(t, run)
	require.Zero(t, run.Total.Unexpected["wrong-answer"])
	require.Less(t, float64(unexpected), 0.005*float64(count)+1)
	var ofKinds int64
	for _, row := range run.Kinds {
		ofKinds += row.Count
	}
	require.Equal(t, count, ofKinds)
}

// requireSums checks what became of the transactions. Those that k6 has dropped or cut off are in the total only.
func requireSums(t testing.TB, run result.Run) {
	t.Helper()
	var due, waiting int64
	for _, row := range run.Transactions {
		require.Equal(t, row.Due, row.Good+row.Refused()+row.Unanswered+row.Waiting, "%+v", row)
		due += row.Due
		waiting += row.Waiting
	}
	total := &run.Total
	require.Equal(t, total.Due, total.Good+total.Refused()+total.Unanswered+total.Dropped+total.Waiting, "%+v", total)
	require.Equal(t, total.Due, due+total.Dropped+total.Waiting-waiting)
	require.GreaterOrEqual(t, total.Waiting, waiting)
}

func TestK6_Workloads(t *testing.T) {
	s := newService(t, true)
	for _, name := range workload.Names() {
		t.Run(name, func(t *testing.T) {
			definition, err := workload.Load(name)
			require.NoError(t, err)
			settings := "USERS=4 DURATION=5s RAMP=3s EVERY=2s ALLOW_INVALID=yes WORKLOAD=" + name
			o := succeed(t, s.with(settings)...)
			run := o.result(t, "k6-"+name+".json")
			requireSound(t, run)

			require.Equal(t, name, run.Workload.Name)
			require.Equal(t, definition.SHA256, run.Workload.SHA256)
			require.Len(t, run.Transactions, len(definition.Mix))
			require.Len(t, run.Intervals, 3)
			requireIntervals(t, run, o.stderr)
			require.EqualValues(t, 4*definition.Prepare.Orders, run.Prepared.Orders)
			require.EqualValues(t, 4*definition.Prepare.Customers, run.Prepared.Customers)
			require.True(t, run.Validity.Smoke)
			require.Equal(t, "tpox-2/tiny/seed-1/v1/500-200-2000", run.Dataset.Fingerprint)
			for _, row := range run.Transactions {
				require.Contains(t, o.stdout, row.Name)
				if row.Kind != tpox.Delete.String() && row.Name != "close_account" {
					require.Positive(t, row.Count, row.Name)
				}
			}
			html := testenv.Text(t, filepath.Join(o.folder, "k6-"+name+".html"))
			require.NotContains(t, html, "src=")
			require.Contains(t, html, "<h1>Workload "+name+" ")
		})
	}
}

// requireIntervals checks the statistics of each interval by transaction, in the result and on the terminal.
func requireIntervals(t testing.TB, run result.Run, printed string) {
	t.Helper()
	var all int64
	for _, interval := range run.Intervals {
		var count int64
		require.Len(t, interval.Rows, len(run.Transactions))
		for i, row := range interval.Rows {
			require.Equal(t, run.Transactions[i].Name, row.Name)
			require.LessOrEqual(t, row.Good, row.Count)
			require.LessOrEqual(t, row.Latency.P50, row.Latency.P99, row.Name)
			count += row.Count
		}
		require.Equal(t, interval.Count, count)
		require.InDelta(t, float64(count)/(interval.To-interval.From), interval.TPS, 0.001)
		all += count
	}
	// An interval counts what was begun in it, the total what has ended; each of 4 users can have one between the two.
	require.InDelta(t, run.Total.Count, all, 8)
	require.Regexp(t, `0 to 2 s  `+run.Transactions[0].Name+`  [0-9,]+ tx  [0-9.]+/s  p50 [0-9.]+ `, printed)
}

// Every transaction runs, also those that first need something to remove.
func TestK6_Mixed_AllTransactions(t *testing.T) {
	s := newService(t, true)
	o := succeed(t, s.with("USERS=8 DURATION=12s RAMP=4s ALLOW_INVALID=yes OUT=all")...)
	run := o.result(t, "all.json")
	requireSound(t, run)
	requireOneLayout(t, run, o.stdout)
	require.Regexp(t, `5 s  [0-9,]+ tx  [0-9,]+/s  so far p50 [0-9.]+  p90 [0-9.]+  p95 [0-9.]+  max [0-9.]+ ms`, o.stderr)
	require.Regexp(t, `10 s  [0-9,]+ tx  `, o.stderr)
	require.Len(t, run.Transactions, len(tpox.Transactions))
	for i, row := range run.Transactions {
		require.Equal(t, tpox.Transactions[i].Name, row.Name)
		require.Positive(t, row.Count, row.Name)
		require.Positive(t, row.Good, row.Name)
	}
}

func TestK6_OpenModel(t *testing.T) {
	s := newService(t, true)
	t.Run("Reached", func(t *testing.T) {
		o := succeed(t, s.with("WORKLOAD=query RATE=5 USERS=40 DURATION=5s RAMP=4s ALLOW_INVALID=yes")...)
		run := o.result(t, "k6-query.json")
		requireSound(t, run)
		require.Equal(t, result.Open, run.Model.Kind)
		require.Zero(t, run.Arrivals.Dropped)
		require.InDelta(t, 25, run.Arrivals.Due, 2)
		require.Equal(t, run.Arrivals.Due, run.Total.Count+run.Total.Waiting)
	})
	t.Run("Dropped", func(t *testing.T) {
		o := runK6(t, s.with("WORKLOAD=query RATE=100000 USERS=1 DURATION=3s RAMP=1s")...)
		require.Equal(t, 4, o.code, "%s%s", o.stdout, o.stderr)
		run := o.result(t, "k6-query.json")
		require.Positive(t, run.Arrivals.Dropped)
		require.False(t, run.Validity.Valid)
		require.Contains(t, strings.Join(run.Validity.Reasons, "; "), "arrivals were dropped")
		require.Contains(t, o.stdout, "INVALID")
		requireSums(t, run)
	})
}

// Every answer takes ten seconds, and five are measured: what is answered later counts as waiting, and what k6 cuts off
// does not count as an error of the service.
func TestK6_SlowService(t *testing.T) {
	slow := newService(t, true).behind(t, func(r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/v1/") && !strings.HasPrefix(r.URL.Path, "/v1/dataset") {
			select {
			case <-time.After(10 * time.Second):
			case <-r.Context().Done():
				return false
			}
		}
		return true
	})
	t.Run("Open", func(t *testing.T) {
		o := runK6(t, slow.with("WORKLOAD=query RATE=100 USERS=50 DURATION=5s RAMP=1s")...)
		require.Equal(t, 4, o.code, "%s%s", o.stdout, o.stderr)
		run := o.result(t, "k6-query.json")
		requireSums(t, run)
		require.Zero(t, run.TPS)
		require.Zero(t, run.Total.Count)
		require.Empty(t, run.Total.Unexpected)
		require.InDelta(t, 500, run.Total.Due, 2)
		require.InDelta(t, 50, run.Total.Waiting, 0)
		require.Equal(t, run.Total.Due, run.Arrivals.Due)
		require.Contains(t, o.stdout, "no transaction was answered in the measured time")
	})
	// Within the twelve seconds, answers arrive to what was begun before them.
	t.Run("Closed", func(t *testing.T) {
		o := runK6(t, slow.with("WORKLOAD=query USERS=6 DURATION=12s RAMP=4s P99=9000")...)
		require.Equal(t, 99, o.code, "not INVALID, but slower than P99 allows: %s%s", o.stdout, o.stderr)
		o = succeed(t, slow.with("WORKLOAD=query USERS=6 DURATION=12s RAMP=4s P99=60000")...)
		run := o.result(t, "k6-query.json")
		requireSums(t, run)
		require.Empty(t, run.Total.Unexpected)
		require.Equal(t, int64(6), run.Total.Waiting, "one of each user")
		require.Equal(t, int64(6), run.Total.Good, "and one of each user was answered")
		require.InDelta(t, 0.5, run.TPS, 1e-9)
	})
}

// A run is INVALID for another reason than a threshold of k6: users have next to nothing to delete. k6 itself exits
// with 99, and loadtest/k6 with 4.
func TestK6_Invalid(t *testing.T) {
	s := newService(t, true)
	mix := `{"transaction": "insert_order", "weight": 1}, {"transaction": "delete_order", "weight": 50}`
	own := testenv.File(t, "own.json", `{"name": "own", "mix": [`+mix+`]}`)
	settings := s.with("USERS=2 DURATION=3s RAMP=1s WORKLOAD=" + own)
	o := runK6(t, settings...)
	require.Equal(t, 4, o.code, "%s%s", o.stdout, o.stderr)
	require.Contains(t, o.stdout, "had nothing of the user's own to delete")
	require.True(t, o.result(t, "k6-own.json").Validity.Invalid())
	o = succeed(t, append(settings, "ALLOW_INVALID=yes")...)
	require.True(t, o.result(t, "k6-own.json").Validity.Invalid())

	k6, err := exec.LookPath("k6")
	if err != nil {
		cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
		require.NoError(t, err)
		built, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(cache)), "brokerage-k6", "k6-v1.*"))
		require.NoError(t, err)
		require.NotEmpty(t, built)
		k6 = built[0]
	}
	require.Equal(t, 99, runWith(t, k6, t.TempDir(), settings...).code)
}

// A result that cannot be written is an error; k6 alone would exit with 0.
func TestK6_ResultLost(t *testing.T) {
	s := newService(t, true)
	folder := t.TempDir()
	results := filepath.Join(folder, "results")
	require.NoError(t, os.Mkdir(results, 0o700))
	timer := time.AfterFunc(4*time.Second, func() { _ = os.RemoveAll(results) })
	defer timer.Stop()
	settings := "WORKLOAD=query USERS=2 DURATION=6s RAMP=1s OUT=results/k6 ALLOW_INVALID=yes"
	o := runWith(t, "k6", folder, s.with(settings)...)
	require.Equal(t, 1, o.code, "%s%s", o.stdout, o.stderr)
	require.Contains(t, o.stderr, "k6 has not written its result")
}

// The default warm-up is long enough for a valid run, however few users there are.
func TestK6_DefaultWarmUp(t *testing.T) {
	s := newService(t, true)
	o := runK6(t, s.with("WORKLOAD=query USERS=1 THINK=100ms DURATION=1s")...)
	require.Zero(t, o.code, "SMOKE alone is no fault: %s%s", o.stdout, o.stderr)
	run := o.result(t, "k6-query.json")
	require.GreaterOrEqual(t, run.Warmed, 19.5, "what a valid run needs")
	require.True(t, run.Validity.Smoke, "of one second")
	require.Empty(t, run.Validity.Reasons)
}

// The service dies in the middle of a run.
func TestK6_ServiceDies(t *testing.T) {
	s := newService(t, true)
	timer := time.AfterFunc(8*time.Second, func() {
		s.CloseClientConnections()
		s.Close()
	})
	defer timer.Stop()
	o := runK6(t, s.with("WORKLOAD=query USERS=4 DURATION=120s RAMP=1s")...)
	require.Equal(t, 108, o.code, "%s%s", o.stdout, o.stderr)
	require.Contains(t, o.stderr, "no longer answers")
	run := o.result(t, "k6-query.json")
	require.Equal(t, result.TargetDied, run.Ended)
	require.Positive(t, run.Total.Count)
	require.Less(t, run.Measured, 119.0)
	require.Contains(t, o.stdout, "INVALID")
	require.Regexp(t, `the times include \d+ requests without an answer`, o.stdout)
}

// The command for k6 in docs/load-tests.md, with less to do.
func TestK6_Readme(t *testing.T) {
	requireK6(t)
	const command = "loadtest/k6 run loadtest/brokerage.js "
	lines := 0
	for line := range strings.Lines(testenv.Text(t, "../docs/load-tests.md")) {
		arguments, ok := strings.CutPrefix(strings.TrimSpace(line), command)
		if !ok {
			continue
		}
		lines++
		s := newService(t, true)
		settings := map[string]string{}
		for setting := range strings.SplitSeq(strings.TrimPrefix(arguments, "-e "), " -e ") {
			name, value, _ := strings.Cut(setting, "=")
			settings[name] = value
		}
		require.Contains(t, settings, "WORKLOAD")
		for name, less := range map[string]string{"USERS": "3", "RAMP": "2s", "DURATION": "3s"} {
			require.Contains(t, settings, name)
			settings[name] = less
		}
		all := s.with("ALLOW_INVALID=yes")
		for name, value := range settings {
			all = append(all, name+"="+value)
		}
		o := succeed(t, all...)
		run := o.result(t, "k6-"+settings["WORKLOAD"]+".json")
		requireSound(t, run)
		require.Equal(t, tpox.Durable, run.Settings["durability"])
		require.Equal(t, "sqlite", run.Target.Engine)
		require.Len(t, run.Faithful, len(tpox.Transactions))
		require.Equal(t, tpox.StoredReady, run.Faithful["get_security_price"])
	}
	require.Equal(t, 1, lines)
}

// What loadtest/limit reads of what k6 prints is there: it compares rates and processor times.
func TestK6_Limit(t *testing.T) {
	s := newService(t, true)
	cmd := exec.CommandContext(t.Context(), "./limit")
	cmd.Env = append(os.Environ(), s.with("USERS=3 ROUNDS=1 DURATION=1s RAMP=1s")...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, line := range []string{
		`median of requests a second: one URL [1-9]\d*, mixed [1-9]\d*: \d+ %`,
		`processor time each, k6 and service: one URL [1-9]\d* µs, mixed [1-9]\d* µs: \d+ %`,
	} {
		require.Regexp(t, line, string(out))
	}
}

// requireOneLayout checks that k6 prints heading, table, rates and sums of a result as brokerage drive does.
func requireOneLayout(t testing.TB, run result.Run, printed string) {
	t.Helper()
	var want strings.Builder
	require.NoError(t, run.Write(&want))
	of := func(text string) []string { return strings.Split(strings.TrimPrefix(text, "\n"), "\n\n")[:4] }
	require.Equal(t, of(want.String()), of(printed))
	require.Contains(t, printed, "  p50   p90   p95   p99 p99.9   max\n")
	require.Positive(t, run.Total.Latency.P999)
}

// The first run without k6 builds it, and prints a line before and after.
func TestK6_Builds(t *testing.T) {
	shell := testenv.Command(t, "sh")
	bin, cache := t.TempDir(), t.TempDir()
	fake := "#!/bin/sh\ncase $1 in env) echo " + cache + ";; " +
		"install) printf '#!/bin/sh\\necho this is k6\\n' >$GOBIN/k6; chmod +x $GOBIN/k6; echo compiling >&2;; esac\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(fake), 0o755)) //nolint:gosec // a program
	built := "^loadtest/k6: building k6 v[0-9.]+ with Go, once, into .*; that takes a minute or two\n" +
		"compiling\nloadtest/k6: built\n$"
	for _, want := range []string{built, "^$"} {
		cmd := exec.CommandContext(t.Context(), shell, "./k6", "version")
		cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin"}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		require.NoError(t, cmd.Run(), errs.String())
		require.Equal(t, "this is k6\n", out.String())
		require.Regexp(t, want, errs.String())
	}
}
