package telemetry_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
)

var build = telemetry.BuildInfo{Version: "v1.2.3", Revision: "abc", GoVersion: "go1.26"}

// scrape returns what Prometheus reads: every series with its value.
func scrape(t testing.TB, m *telemetry.Metrics) (series map[string]string, text string) {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Header().Get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8")
	series = make(map[string]string)
	for line := range strings.Lines(w.Body.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "} "); ok {
			series[name+"}"] = value
		} else if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			series[name] = value
		}
	}
	return series, w.Body.String()
}

func transactions(name, outcome string) string {
	return fmt.Sprintf("brokerage_transactions_total{outcome=%q,transaction=%q}", outcome, name)
}

func TestMetrics_FromTheStart(t *testing.T) {
	series, _ := scrape(t, telemetry.New(build))
	for _, transaction := range tpox.Transactions {
		for _, outcome := range telemetry.Outcomes {
			require.Equal(t, "0", series[transactions(transaction.Name, outcome)], "%s %s", transaction.Name, outcome)
		}
		require.Equal(t, "0", series[fmt.Sprintf(`brokerage_transaction_duration_seconds_bucket{transaction=%q,le="0.0001"}`,
			transaction.Name)])
		require.Equal(t, "0", series[fmt.Sprintf(`brokerage_transaction_duration_seconds_bucket{transaction=%q,le="10"}`,
			transaction.Name)])
	}
	for _, reason := range telemetry.Reasons {
		require.Equal(t, "0", series[fmt.Sprintf("brokerage_requests_refused_total{reason=%q}", reason)])
	}
	require.Equal(t, "0", series["brokerage_requests_in_flight"])
	require.Equal(t, "1", series[`brokerage_build_info{goversion="go1.26",revision="abc",version="v1.2.3"}`])
	require.Contains(t, series, "go_goroutines")
	require.Contains(t, series, "process_resident_memory_bytes")
}

// A metric of the process has a series if and only if the system counts its figure.
func TestMetrics_Process(t *testing.T) {
	series, _ := scrape(t, telemetry.New(build))
	counted := probe.Here.Process(os.Getpid()).Figures
	for figure, metric := range telemetry.ProcessMetrics {
		_, known := counted[figure]
		_, has := series[metric.Name]
		require.Equal(t, known, has, metric.Name)
	}
}

func TestMetrics_Observe(t *testing.T) {
	m := telemetry.New(build)
	_, before := scrape(t, m)
	m.Observe("get_order", telemetry.OK, 700*time.Microsecond, 0, 1500, "")
	m.Observe("get_order", telemetry.OK, 20*time.Second, 0, 500, "")
	m.Observe("get_order", telemetry.NotFound, time.Millisecond, 0, -1, "")
	m.Observe("insert_order", telemetry.OK, time.Millisecond, 1700, 0, "")
	m.Observe("get_order", telemetry.Unavailable, 5*time.Second, 0, 0, "")
	m.Observe("lease_ids", telemetry.Conflict, time.Millisecond, 0, 0, "")
	m.Observe("what a client sent", "nonsense", time.Millisecond, 0, 0, "")
	m.Refused(telemetry.QueueFull)
	m.InFlight(3)
	m.InFlight(-1)

	series, after := scrape(t, m)
	for name, value := range map[string]string{
		transactions("get_order", "ok"):                                                      "2",
		transactions("get_order", "not_found"):                                               "1",
		transactions("get_order", "failed"):                                                  "0",
		transactions("lease_ids", "conflict"):                                                "1",
		transactions("other", "failed"):                                                      "1",
		`brokerage_transaction_duration_seconds_bucket{transaction="get_order",le="0.0005"}`: "0",
		`brokerage_transaction_duration_seconds_bucket{transaction="get_order",le="0.001"}`:  "2",
		`brokerage_transaction_duration_seconds_bucket{transaction="get_order",le="10"}`:     "2",
		`brokerage_transaction_duration_seconds_count{transaction="get_order"}`:              "3",
		`brokerage_answer_bytes_total{transaction="get_order"}`:                              "2000",
		`brokerage_request_bytes_total{transaction="get_order"}`:                             "0",
		`brokerage_request_bytes_total{transaction="insert_order"}`:                          "1700",
		`brokerage_requests_refused_total{reason="queue_full"}`:                              "1",
		"brokerage_requests_in_flight":                                                       "2",
	} {
		require.Equal(t, value, series[name], name)
	}
	// No series was added.
	require.Equal(t, strings.Count(before, "\nbrokerage_"), strings.Count(after, "\nbrokerage_"))
}

func BenchmarkStatement(b *testing.B) {
	m := telemetry.New(build)
	b.ReportAllocs()
	for b.Loop() {
		m.Statement("get_order", time.Millisecond)
	}
}
