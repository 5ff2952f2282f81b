package loadtest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/httpapi"
	"brokerage/internal/result"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/telemetry"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// service is a service over a tiny database, for one test of k6.
type service struct {
	*httptest.Server

	token string
}

// newService starts a service that calls show, if any, with each request first. It skips the test unless
// BROKERAGE_TEST_REQUIRE names k6, because these tests take minutes, and building k6 takes one more.
func newService(t testing.TB, show func(*http.Request)) service {
	t.Helper()
	if !testenv.Required("k6") {
		testenv.Missing(t, "k6", "the runs of k6 take minutes: BROKERAGE_TEST_REQUIRE=k6 runs them")
	}
	file := filepath.Join(t.TempDir(), "tokens")
	all := []access.Scope{access.Read, access.Trade, access.Admin}
	token, err := access.Add(file, access.Client{Name: "load", Scopes: all})
	require.NoError(t, err)
	tokens, err := access.Load(file)
	require.NoError(t, err)
	handler := httpapi.New(sqlitetest.Store(t), httpapi.Options{
		Tokens: tokens, Metrics: telemetry.New(telemetry.BuildInfo{}), Timeout: 10 * time.Second,
		InFlight: 256, Queue: 256, QueueWait: time.Second,
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if show != nil {
			show(r)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return service{server, token}
}

// k6 runs the script with settings as NAME=value and arguments of k6, separated by spaces. It returns k6's exit code,
// what it printed, and the file of its samples.
func (s service) k6(t testing.TB, settings string) (code int, printed, samples string) {
	t.Helper()
	samples = filepath.Join(t.TempDir(), "k6.json.gz")
	arguments := strings.Fields("run --quiet --no-color --no-usage-report brokerage.js --out json=" + samples)
	for setting := range strings.FieldsSeq("BASE_URL=" + s.URL + " TOKEN=" + s.token + " " + settings) {
		if !strings.HasPrefix(setting, "--") {
			arguments = append(arguments, "-e")
		}
		arguments = append(arguments, setting)
	}
	cmd := exec.CommandContext(t.Context(), "./k6", arguments...)
	out, err := cmd.CombinedOutput()
	require.NotNil(t, cmd.ProcessState, err)
	return cmd.ProcessState.ExitCode(), string(out), samples
}

// read returns the result of files of samples that follow each other.
func read(t testing.TB, samples ...string) *result.Run {
	t.Helper()
	var readers []io.Reader
	for _, name := range samples {
		readers = append(readers, strings.NewReader(testenv.Text(t, name)))
	}
	run, isK6, err := result.ReadK6(io.MultiReader(readers...))
	require.NoError(t, err)
	require.True(t, isK6)
	return run
}

// The scripts run every transaction, and the result has as many of each as the metrics of the service. Without a
// warm-up, the result counts all requests.
func TestK6_Counts(t *testing.T) {
	s := newService(t, nil)
	var weights []string
	for _, transaction := range workload.Transactions() {
		weights = append(weights, transaction.Name+"=1")
	}
	code, printed, samples := s.k6(t, "USERS=4 RAMP=0 DURATION=8s WORKLOAD=classic WEIGHTS="+strings.Join(weights, ","))
	require.Zero(t, code, printed)
	run := read(t, samples)
	definition, err := workload.Load("classic")
	require.NoError(t, err)
	require.Equal(t, definition.SHA256, run.Workload.SHA256)
	require.Equal(t, result.Complete, run.Ended)
	require.Equal(t, tpox.Durable, run.Settings["durability"])
	require.Equal(t, tpox.StoredReady, run.Faithful["get_security_price"])
	require.Positive(t, run.Machine.Cores)
	require.EqualValues(t, 4*definition.Prepare.Orders, run.Prepared.Orders)

	all, refused := s.counts(t)
	all["insert_order"] -= run.Prepared.Orders
	all["insert_customer"] -= run.Prepared.Customers
	for _, counts := range []map[string]int64{all, refused} {
		counts["upd_custacc"], counts["upd_security"] = counts["replace_customer"], counts["replace_security"]
	}
	all["get_security"] -= all["upd_security"] // which reads first
	require.Len(t, run.Transactions, len(workload.Transactions()))
	for i := range run.Transactions {
		row := &run.Transactions[i]
		require.Positive(t, row.Good, row.Name)
		require.Equal(t, all[row.Name], row.Due, row.Name)
		if row.Late == 0 {
			require.Equal(t, refused[row.Name], row.Refused(), row.Name)
		}
	}
	require.Empty(t, run.Total.Unexpected)
}

// counts returns how many requests the service has counted, by transaction: all of them, and those that were refused.
func (s service) counts(t testing.TB) (all, refused map[string]int64) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/metrics", http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	counted := regexp.MustCompile(`(?m)^brokerage_transactions_total\{outcome="(\w+)",transaction="(\w+)"\} (\d+)$`)
	all, refused = map[string]int64{}, map[string]int64{}
	for _, found := range counted.FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.ParseInt(found[3], 10, 64)
		require.NoError(t, err)
		if all[found[2]] += n; found[1] != "ok" {
			refused[found[2]] += n
		}
	}
	return all, refused
}

// k6 exits with 99 when a run has crossed one of the script's thresholds.
func TestK6_Thresholds(t *testing.T) {
	s := newService(t, func(r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/orders/") {
			time.Sleep(50 * time.Millisecond)
		}
	})
	const query = "WORKLOAD=query USERS=2 RAMP=1s DURATION=3s "
	code, printed, samples := s.k6(t, query+"RATE=5")
	require.Zero(t, code, printed)
	run := read(t, samples)
	require.InDelta(t, 15, run.Arrivals.Due, 1)
	require.Zero(t, run.Arrivals.Dropped)
	require.Empty(t, run.Validity.Reasons)
	require.True(t, run.Validity.Smoke)

	code, printed, samples = s.k6(t, query+"STEPS=5,50000")
	require.Equal(t, 99, code, printed)
	require.Contains(t, printed, "thresholds on metrics 'dropped_iterations'")
	run = read(t, samples)
	require.Len(t, run.Intervals, 2)
	require.InDelta(t, 15, run.Intervals[0].Count, 2)
	require.Contains(t, strings.Join(run.Validity.Reasons, "; "), "arrivals were dropped")

	code, printed, _ = s.k6(t, query+"P99=50 THINK=exponential:10ms WEIGHTS=search_securities=1,get_order=3")
	require.Equal(t, 99, code, printed)
	require.Contains(t, printed, "transaction_duration{scenario:load,name:get_order}")
}

// A wrong setting, or a service that cannot be used, ends k6 before any load, with a line that says why.
func TestK6_Refused(t *testing.T) {
	s := newService(t, nil)
	own := testenv.File(t, "own.json", `{"name": "own", "mix": [{"transaction": "get_orders", "weight": 1}]}`)
	for settings, says := range map[string]string{
		"USERS=many":                     `USERS is a whole number from 1 to 100000, not \"many\"`,
		"USERS=201 RAMP=0":               "the database is too small for 201 users",
		"DURATION=3":                     "DURATION is a time of at least 1s",
		"STEPS=5 RATE=3":                 "STEPS and RATE: set one of them",
		"WORKLOAD=everything":            "WORKLOAD is one of mixed, query, insert-orders, insert-customers, classic",
		"WORKLOAD=" + own:                `there is no transaction \"get_orders\" for k6`,
		"WEIGHTS=delete_order=1":         "delete_order without insert_order would run out of documents",
		"BASE_URL=http://127.0.0.1:1":    "no service answers at http://127.0.0.1:1",
		"TOKEN=wrong":                    "the service does not accept the TOKEN",
		"--vus=3 --duration=1s RAMP=10s": "function 'default' not found in exports",
	} {
		code, printed, _ := s.k6(t, settings)
		require.NotZero(t, code, settings)
		require.Contains(t, printed, says, settings)
	}
}

// A service that dies ends the run, and the result covers the time until then.
func TestK6_ServiceDies(t *testing.T) {
	s := newService(t, nil)
	time.AfterFunc(10*time.Second, func() {
		s.CloseClientConnections()
		s.Close()
	})
	code, printed, samples := s.k6(t, "WORKLOAD=query USERS=2 RAMP=0 DURATION=60s")
	require.Equal(t, 108, code, printed)
	require.Contains(t, printed, "no longer answers")
	run := read(t, samples)
	require.Equal(t, result.Interrupted, run.Ended)
	require.Less(t, run.Measured, 30.0)
	require.GreaterOrEqual(t, run.Total.Unanswered, int64(10))
	require.Positive(t, run.Total.Good)
}

// Two k6s share a load as execution segments: together they have all users, and none takes an id of another. The
// samples of both, one file after the other, are those of one run.
func TestK6_Segments(t *testing.T) {
	s := newService(t, nil)
	var samples [2]string
	var both sync.WaitGroup
	for i, segment := range []string{"0:1/2", "1/2:1"} {
		both.Go(func() {
			_, _, samples[i] = s.k6(t, "WORKLOAD=insert-orders USERS=5 RAMP=2s DURATION=4s --execution-segment="+segment+
				" --execution-segment-sequence=0,1/2,1 --address=127.0.0.1:0")
		})
	}
	both.Wait()
	run, due := read(t, samples[:]...), int64(0)
	for _, part := range samples {
		due += read(t, part).Total.Due
	}
	require.Equal(t, due, run.Total.Due)
	require.Equal(t, 5, run.Model.Users)
	require.Empty(t, run.Total.Unexpected)
}

// The command in the documentation runs.
func TestK6_Documented(t *testing.T) {
	found := regexp.MustCompile(`(?m)^loadtest/k6 run -e (.*) --out json=\S+ loadtest/brokerage.js$`).
		FindStringSubmatch(testenv.Text(t, "../docs/k6.md"))
	require.NotNil(t, found)
	settings := strings.ReplaceAll(found[1], " -e ", " ") + " USERS=2 RAMP=3s DURATION=2s"
	code, printed, samples := newService(t, nil).k6(t, settings)
	require.Zero(t, code, printed)
	require.Positive(t, read(t, samples).Total.Good)
}
