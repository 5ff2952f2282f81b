package loadtest_test

import (
	"bufio"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// What k6 itself writes is for other programs: the summary has no thresholds that cannot fail and no sub-metrics that
// only the result needs, and samples have the tags that k6 gives by default.
func TestK6_Outputs(t *testing.T) {
	s := newService(t, true)
	folder := t.TempDir()
	summary, samples := filepath.Join(folder, "summary.json"), filepath.Join(folder, "samples.json")
	arguments := []string{"--summary-export=" + summary, "--out=json=" + samples}
	settings := s.with("USERS=4 DURATION=4s RAMP=2s EVERY=2s ALLOW_INVALID=yes OUT=none")
	succeed(t, append(settings, arguments...)...)

	var exported struct {
		Metrics map[string]map[string]any `json:"metrics"`
		Setup   any                       `json:"setup_data"`
	}
	require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, summary)), &exported))
	require.Nil(t, exported.Setup, "ids and symbols")
	require.Contains(t, exported.Metrics, "http_req_duration")
	require.Contains(t, exported.Metrics["http_req_duration"], "p(99)")
	for name, metric := range exported.Metrics {
		require.NotContains(t, name, "interval", "only the result needs it")
		require.NotContains(t, name, "name:", "only the result needs it")
		require.LessOrEqual(t, len(metric), 10, name)
		require.NotContains(t, metric, "thresholds", "with ALLOW_INVALID none can fail: %s", name)
	}
	require.Less(t, len(exported.Metrics), 50)

	seen := tagsOf(t, samples)
	for _, tag := range []string{
		"expected_response", "group", "method", "name", "phase", "kind", "proto", "scenario", "status", "url",
	} {
		require.Contains(t, seen, tag)
	}
	require.Len(t, seen["interval"], 2)
	for _, transaction := range tpox.Transactions[:7] {
		require.Contains(t, seen["name"], transaction.Name)
	}
	for url := range seen["url"] {
		require.NotRegexp(t, `\d{4}`, url, "a series for each id")
	}
}

// tagsOf returns the values of each tag of the samples of http_req_duration, and checks that no metric has thresholds.
func tagsOf(t testing.TB, samples string) map[string]map[string]bool {
	t.Helper()
	file, err := os.Open(samples)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	seen := map[string]map[string]bool{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Type   string `json:"type"`
			Metric string `json:"metric"`
			Data   struct {
				Tags       map[string]string `json:"tags"`
				Thresholds []string          `json:"thresholds"`
			} `json:"data"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		require.Empty(t, line.Data.Thresholds, line.Metric)
		if line.Type != "Point" || line.Metric != "http_req_duration" {
			continue
		}
		for tag, value := range line.Data.Tags {
			if seen[tag] == nil {
				seen[tag] = map[string]bool{}
			}
			seen[tag][value] = true
		}
	}
	require.NoError(t, lines.Err())
	return seen
}

// The limits of a run are the only thresholds, and there are few sub-metrics beside them.
func TestK6_Thresholds(t *testing.T) {
	requireK6(t)
	thresholds := inspect(t, "WORKLOAD=mixed").Thresholds
	require.Less(t, len(thresholds), 60)
	var limits []string
	for name, all := range thresholds {
		for _, one := range all {
			require.NotContains(t, one, ">=0", name)
			limits = append(limits, name+" "+one)
		}
	}
	require.ElementsMatch(t, []string{
		"http_req_failed{phase:measured} rate<0.005", "wrong_answers count<1", "dropped_iterations count<1",
		"invalid count<1",
	}, limits)
	require.Nil(t, inspect(t, "WORKLOAD=mixed").SystemTags, "those of k6")
}

// options are what k6 reads of the script.
type options struct {
	Thresholds map[string][]string
	SystemTags []string
	Segment    string                     `json:"executionSegment"`
	Sequence   string                     `json:"executionSegmentSequence"`
	Scenarios  map[string]json.RawMessage `json:"scenarios"`
}

// inspect returns the options of the script with settings.
func inspect(t testing.TB, settings ...string) (found options) {
	t.Helper()
	arguments := append([]string{"inspect", "brokerage.js"}, asArguments(settings)...)
	out, err := exec.CommandContext(t.Context(), "./k6", arguments...).Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &found))
	return found
}

// asArguments returns settings as arguments of k6; what begins with -- is one already.
func asArguments(settings []string) (arguments []string) {
	for _, s := range settings {
		if !strings.HasPrefix(s, "--") {
			arguments = append(arguments, "-e")
		}
		arguments = append(arguments, s)
	}
	return arguments
}

// A Prometheus that accepts remote writes has the requests of a run by transaction, and no series for each id.
func TestK6_RemoteWrite(t *testing.T) {
	requireK6(t)
	prometheus := testenv.Command(t, "prometheus")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := listener.Addr().String()
	require.NoError(t, listener.Close())
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "prometheus.yml"), nil, 0o600))
	cmd := exec.CommandContext(t.Context(), prometheus, "--config.file=prometheus.yml", "--storage.tsdb.path=data",
		"--web.enable-remote-write-receiver", "--web.listen-address="+addr)
	cmd.Dir = folder
	require.NoError(t, cmd.Start())
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	require.Eventually(t, func() bool {
		code, _ := query(t, addr, "1")
		return code == http.StatusOK
	}, time.Minute, 100*time.Millisecond, "Prometheus is ready")

	s := newService(t, true)
	t.Setenv("K6_PROMETHEUS_RW_SERVER_URL", "http://"+addr+"/api/v1/write")
	t.Setenv("K6_PROMETHEUS_RW_TREND_STATS", "p(50),p(99),max")
	settings := s.with("USERS=4 DURATION=4s RAMP=2s ALLOW_INVALID=yes OUT=none")
	succeed(t, append(settings, "--out=experimental-prometheus-rw", "--tag=testid=monday")...)

	const of = `{testid="monday",name="get_order",phase="measured"}[1h])`
	for _, metric := range []string{"k6_http_reqs_total", "k6_http_req_duration_p99"} {
		_, found := query(t, addr, "sum(last_over_time("+metric+of+") > 0")
		require.Len(t, found, 1, metric)
	}
	_, urls := query(t, addr, `count by (url) (last_over_time(k6_http_reqs_total[1h]))`)
	require.NotEmpty(t, urls)
	for _, series := range urls {
		require.NotRegexp(t, `\d{4}`, series.Metric["url"], "a series for each id")
	}
	_, all := query(t, addr, `count(last_over_time({__name__=~"k6_.+"}[1h]))`)
	t.Log("series", all)
}

// series is a series of Prometheus with its last value.
type series struct {
	Metric map[string]string
	Value  [2]any
}

// query asks Prometheus; the code is 0 if it does not answer.
func query(t testing.TB, addr, promql string) (code int, found []series) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		"http://"+addr+"/api/v1/query?query="+url.QueryEscape(promql), http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = response.Body.Close() }() // it was read
	var answer struct{ Data struct{ Result []series } }
	if json.NewDecoder(response.Body).Decode(&answer) != nil {
		return response.StatusCode, nil
	}
	return response.StatusCode, answer.Data.Result
}
