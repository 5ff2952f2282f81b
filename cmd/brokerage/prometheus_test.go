package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// prometheus is a real one, with the rules of the project.
type prometheus struct {
	url  string
	logs *logLines
}

var waits = regexp.MustCompile(`(?m)^( +for:) \S+$`)

// scraping starts Prometheus, to scrape a target every second. The rules are those of the project, except that all are
// evaluated every second, and an alert fires after a second.
func scraping(t testing.TB, target string, flags ...string) *prometheus {
	t.Helper()
	binary := testenv.Command(t, "prometheus")
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "rules"), 0o700))
	files, err := filepath.Glob(deployed + "rules/*.yml")
	require.NoError(t, err)
	for _, file := range files {
		text := []byte(testenv.Text(t, file))
		text = waits.ReplaceAll(text, []byte("$1 1s"))
		text = bytes.ReplaceAll(text, []byte("interval: 2m"), []byte("interval: 1s"))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "rules", filepath.Base(file)), text, 0o600))
	}
	configuration := testenv.Text(t, deployed+"prometheus.yml")
	changed := strings.NewReplacer("15s", "1s", "127.0.0.1:8080", target).Replace(configuration)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(changed), 0o600))

	p := &prometheus{url: "http://" + freeAddress(t), logs: &logLines{}}
	flags = append(flags, "--config.file=prometheus.yml", "--storage.tsdb.path=data",
		"--web.listen-address="+strings.TrimPrefix(p.url, "http://"))
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), binary, flags...)
	cmd.Dir, cmd.Stderr, cmd.Stdout = dir, p.logs, p.logs
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // it says that it was interrupted
	})
	eventually(t, func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			return false
		}
		_ = conn.Close()
		return get(t, p.url+"/-/ready").status == 200
	}, "Prometheus: %s", p.logs)
	return p
}

// ask sends a request to the API of Prometheus.
func (p *prometheus) ask(t testing.TB, path string, into any) {
	t.Helper()
	a := get(t, p.url+"/api/v1/"+path)
	require.Equal(t, 200, a.status, a.body)
	require.NoError(t, json.Unmarshal([]byte(a.body), &struct{ Data any }{into}))
}

// series is a series of Prometheus with its last value.
type series struct {
	Metric map[string]string
	Value  [2]any
}

// query returns the series of a query.
func (p *prometheus) query(t testing.TB, query string) []series {
	t.Helper()
	var answer struct{ Result []series }
	p.ask(t, "query?query="+url.QueryEscape(query), &answer)
	return answer.Result
}

// value returns the value of a query of one series, empty if there is none yet.
func (p *prometheus) value(t testing.TB, query string) string {
	t.Helper()
	for _, s := range p.query(t, query) {
		return s.Value[1].(string)
	}
	return ""
}

// counts returns the requests that Prometheus knows of, by transaction and outcome.
func (p *prometheus) counts(t testing.TB) map[[2]string]int {
	t.Helper()
	all := map[[2]string]int{}
	for _, s := range p.query(t, "brokerage_transactions_total > 0") {
		n, err := strconv.Atoi(s.Value[1].(string))
		require.NoError(t, err)
		all[[2]string{s.Metric["transaction"], s.Metric["outcome"]}] = n
	}
	return all
}

// alerts returns the firing alerts.
func (p *prometheus) alerts(t testing.TB) (firing []string) {
	t.Helper()
	var answer struct {
		Alerts []struct {
			Labels map[string]string
			State  string
		}
	}
	p.ask(t, "alerts", &answer)
	for _, a := range answer.Alerts {
		if a.State == "firing" {
			firing = append(firing, a.Labels["alertname"])
		}
	}
	return firing
}

// countsOf returns the same counts, from the service itself.
func countsOf(t testing.TB, service string) map[[2]string]int {
	t.Helper()
	all := map[[2]string]int{}
	counted := regexp.MustCompile(
		`(?m)^brokerage_transactions_total\{outcome="(\w+)",transaction="(\w+)"\} ([1-9]\d*)$`)
	for _, found := range counted.FindAllStringSubmatch(get(t, service+"/metrics").body, -1) {
		n, err := strconv.Atoi(found[3])
		require.NoError(t, err)
		all[[2]string{found[2], found[1]}] = n
	}
	return all
}

// A real Prometheus, a real service, a real load: Prometheus stores the counts of the load generator. An alert fires
// when the service is down and resolves when it is back.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	testenv.Command(t, "prometheus")
	dir, addr := tinyDB(t), freeAddress(t)
	i := serving(t, dir, "--listen", addr)
	p := scraping(t, addr)

	generated := generate(t, i.url)
	var stored map[[2]string]int
	transactions := func(counts map[[2]string]int) map[[2]string]int {
		of := map[[2]string]int{}
		for key, n := range counts {
			if slices.ContainsFunc(tpox.Transactions[:], func(t tpox.Transaction) bool { return t.Name == key[0] }) {
				of[key] = n
			}
		}
		return of
	}
	want := transactions(countsOf(t, i.url))
	eventually(t, func() bool {
		stored = transactions(p.counts(t))
		return len(want) > 0 && len(stored) == len(want) &&
			stored[[2]string{"get_order", "ok"}] == want[[2]string{"get_order", "ok"}]
	}, "Prometheus to have scraped all of %v, not %v", &want, &stored)
	require.Equal(t, want, stored)
	byName := map[string]int{}
	for key, n := range stored {
		byName[key[0]] += n
	}
	require.Len(t, byName, len(generated))
	for name, n := range generated {
		require.Positive(t, n, name)
		require.Equal(t, n, byName[name], name)
	}

	var answer struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	eventually(t, func() bool {
		answer.Groups = nil
		p.ask(t, "rules", &answer)
		for _, group := range answer.Groups {
			for _, r := range group.Rules {
				require.Empty(t, r.LastError, r.Name)
				if r.Health != "ok" {
					return false
				}
			}
		}
		return true
	}, "every rule to be evaluated: %v", &answer)
	n := 0
	for _, group := range answer.Groups {
		n += len(group.Rules)
	}
	require.Len(t, rules(t), n)
	require.NotContains(t, p.alerts(t), "BrokerageDown")

	i.stop(t)
	eventually(t, func() bool { return slices.Contains(p.alerts(t), "BrokerageDown") }, "the alert to fire: %s", p.logs)
	i = serving(t, dir, "--listen", addr)
	eventually(t, func() bool { return !slices.Contains(p.alerts(t), "BrokerageDown") }, "the alert to end: %s", p.logs)
	i.stop(t)
}

// A Prometheus that scrapes native histograms leaves out the classic ones unless a setting keeps them, which old
// versions lack. The objective on latency is measured all the same, and slow requests have exemplars.
func TestPrometheus_NativeHistograms(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	testenv.Command(t, "prometheus")
	collector := newCollector(t)
	i := serving(t, tinyDB(t), "--otlp-endpoint", collector.URL)
	p := scraping(t, strings.TrimPrefix(i.url, "http://"), "--enable-feature=native-histograms,exemplar-storage")
	var ratio string
	eventually(t, func() bool {
		traced(t, http.MethodGet, i.url+"/v1/orders/103282", "", 1)
		ratio = p.value(t, "job:brokerage_transactions_slow:ratio_rate5m >= 0") // it is not a number without requests
		return ratio != ""
	}, "the ratio of slow transactions to be recorded: %s", p.logs)
	slow, err := strconv.ParseFloat(ratio, 64)
	require.NoError(t, err)
	require.Less(t, slow, 0.5)
	require.Empty(t, p.query(t, "brokerage_transaction_duration_seconds_bucket"), "there are no classic histograms")
	require.NotEmpty(t, p.query(t, "brokerage_transaction_duration_seconds"))
	eventually(t, func() bool { return !slices.Contains(p.alerts(t), "BrokerageUnmeasured") },
		"all ratios to be recorded: %s", p.logs)
	now := time.Now()
	var exemplars []struct {
		Exemplars []struct{ Labels map[string]string }
	}
	p.ask(t, fmt.Sprintf("query_exemplars?query=brokerage_transaction_duration_seconds&start=%d&end=%d",
		now.Add(-time.Hour).Unix(), now.Add(time.Minute).Unix()), &exemplars)
	require.NotEmpty(t, exemplars)
	require.Equal(t, strings.Repeat("0", 31)+"1", exemplars[0].Exemplars[0].Labels["trace_id"])
	i.stop(t)
}

// generate puts a load on a service, and returns how many requests of each transaction were sent: by k6 if
// BROKERAGE_TEST_REQUIRE names it, since building it takes a minute, otherwise by its own clients. (The driver does not
// count requests in progress at the beginning and the end of the measured time.)
func generate(t testing.TB, service string) (sent map[string]int) {
	t.Helper()
	if !testenv.Required("k6") {
		return read(t, service)
	}
	sent = map[string]int{}
	wrapper, err := filepath.Abs("../../loadtest/k6")
	require.NoError(t, err)
	script, err := filepath.Abs("../../loadtest/brokerage.js")
	require.NoError(t, err)
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), wrapper, "run", "--quiet", "--no-color", "--no-usage-report", "--out",
		"json=requests.json", script,
		"-e", "WORKLOAD=query", "-e", "USERS=4", "-e", "RAMP=1s", "-e", "DURATION=3s",
		"-e", "BASE_URL="+service)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := bufio.NewScanner(strings.NewReader(testenv.Text(t, filepath.Join(dir, "requests.json"))))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var point struct {
			Metric, Type string
			Data         struct{ Tags map[string]string }
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &point))
		name := point.Data.Tags["name"]
		if point.Type == "Point" && point.Metric == "http_reqs" && name != "beside the load" {
			sent[name]++
		}
	}
	return sent
}

// read sends queries from four clients, in unequal shares.
func read(t testing.TB, service string) (sent map[string]int) {
	t.Helper()
	const clients, rounds = 4, 100
	paths := map[string]string{
		"get_order": "/v1/orders/103282", "get_security": "/v1/securities/A",
		"customer_profile":   "/v1/customers/1002/profile",
		"get_security_price": "/v1/securities/A/price",
	}
	names := slices.Sorted(maps.Keys(paths))
	var group sync.WaitGroup
	failed := make(chan string, clients)
	for range clients {
		group.Go(func() {
			for range rounds {
				for i, name := range names {
					for range i + 1 {
						response, err := client.Get(service + paths[name]) //nolint:noctx // the service is the test's own
						if err != nil || response.StatusCode != http.StatusOK {
							failed <- fmt.Sprint(name, response, err)
							return
						}
						_, _ = io.Copy(io.Discard, response.Body) // when it is read, the response was sent completely
						_ = response.Body.Close()
					}
				}
			}
		})
	}
	group.Wait()
	require.Empty(t, failed)
	sent = make(map[string]int)
	for i, name := range names {
		sent[name] = clients * rounds * (i + 1)
	}
	return sent
}
