package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/telemetry"
	"brokerage/internal/testenv"
)

const deployed = "../../deploy/observability/"

// uncounted returns the process metrics for which this system has no figures, such as waits for disks.
func uncounted() (names []string) {
	counted := probe.Here.Process(os.Getpid()).Figures
	for figure, metric := range telemetry.ProcessMetrics {
		if _, ok := counted[figure]; !ok {
			names = append(names, metric.Name)
		}
	}
	return names
}

// The service has every metric that the rules, the dashboard and the documents name.
func TestObservability_MetricsExist(t *testing.T) {
	t.Parallel()
	i := serving(t, tinyDB(t), "--audit-log", "audit.log") // the audit log has metrics of its own
	scraped := i.counted(t)
	metrics := freeAddress(t)
	withTLS, _ := newAuthority(t).mutual(t, func(args ...string) *instance { // with TLS there is one more metric
		return serving(t, "", append(args, "--metrics-addr", metrics)...)
	})
	scraped += get(t, "http://"+metrics+"/metrics").body
	withTLS.stop(t)
	exists := func(name string) bool { // a histogram's own name is that of its native buckets, which the text format lacks
		return regexp.MustCompile(`(?m)^`+name+`(_count)?(\{| )`).MatchString(scraped) ||
			slices.Contains(uncounted(), name) || name == "brokerage_process_io_wait_seconds_total" ||
			strings.HasPrefix(name, "brokerage_store_statement_duration_seconds") // of a store on a server
	}
	files, err := filepath.Glob(deployed + "rules/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	files = append(files, deployed+"grafana/brokerage.json", "../../docs/runbook.md", "../../docs/observability.md")
	named := 0
	for _, file := range files {
		word := regexp.MustCompile(`[\w:]+`)
		if strings.HasSuffix(file, ".md") {
			word = regexp.MustCompile("`[\\w:]+`")
		}
		for _, name := range word.FindAllString(testenv.Text(t, file), -1) {
			name = strings.Trim(name, "`")
			if !regexp.MustCompile(`^(brokerage|process|go)_[a-z0-9_]+$`).MatchString(name) {
				continue // a word, or what a rule records
			}
			require.True(t, exists(name), "%s, of %s", name, file)
			named++
		}
	}
	require.Greater(t, named, 100)
	i.stop(t)
}

// prometheus is a running Prometheus with the rules of the project.
type prometheus struct {
	url  string
	logs *logLines
}

var waits = regexp.MustCompile(`(?m)^( +for:) \S+$`)

// scraping starts Prometheus, to scrape a target every second. The rules are those of the project, except that all are
// evaluated every second, and an alert fires after a second.
func scraping(t testing.TB, target string) *prometheus {
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
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), binary, "--config.file=prometheus.yml",
		"--storage.tsdb.path=data", "--web.listen-address="+strings.TrimPrefix(p.url, "http://"))
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

// value returns the value of a query of one series, empty if there is none yet.
func (p *prometheus) value(t testing.TB, query string) string {
	t.Helper()
	var answer struct{ Result []struct{ Value [2]any } }
	p.ask(t, "query?query="+url.QueryEscape(query), &answer)
	if len(answer.Result) == 0 {
		return ""
	}
	return answer.Result[0].Value[1].(string)
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

// A real Prometheus, a service and its database: requests and the database are scraped, every rule is evaluated. When
// the database or the service is stopped, the alert for it fires, and ends when what was stopped is back.
func TestPrometheus(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	testenv.Command(t, "prometheus")
	const storeDown, serviceDown = "BrokerageStoreNotReady", "BrokerageDown"
	server, addr := pgtest.Start(t), freeAddress(t)
	db := server.URL("postgres")
	succeeds(t, "load", "--db", db)
	i := serving(t, "", "--db", db, "--listen", addr)
	p := scraping(t, addr)
	fires := func(name string) bool { return slices.Contains(p.alerts(t), name) }

	require.Equal(t, http.StatusOK, get(t, i.url+"/v1/orders/103282").status)
	for query, want := range map[string]string{
		`brokerage_transactions_total{transaction="get_order",outcome="ok"}`:      "1",
		`brokerage_store_statement_duration_seconds_count{statement="get_order"}`: "1",
		`brokerage_store_documents{kind="order"}`:                                 "2000",
		`brokerage_store_document_bytes{kind="customer"} > bool 0`:                "1",
		`sum(brokerage_store_page_hits_total) > bool 0`:                           "1",
		`brokerage_dataset_raw_bytes{kind="order"} > bool 0`:                      "1",
		"brokerage_store_ready":                                                   "1",
	} {
		eventually(t, func() bool { return p.value(t, query) == want }, "%s to be %s: %s", query, want, p.logs)
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
	require.NotEmpty(t, answer.Groups)
	require.False(t, fires(storeDown) || fires(serviceDown))

	server.Halt(t)
	eventually(t, func() bool { return fires(storeDown) }, "the alert to fire: %s", p.logs)
	ready := get(t, i.url+"/readyz")
	require.Equal(t, http.StatusServiceUnavailable, ready.status)
	require.Contains(t, ready.body, "<detail>the database does not answer</detail>")
	require.Equal(t, "0", p.value(t, "brokerage_store_ready"))
	require.False(t, fires(serviceDown))
	server.Again(t)
	eventually(t, func() bool { return !fires(storeDown) }, "the alert to end: %s", p.logs)
	require.Equal(t, http.StatusOK, get(t, i.url+"/v1/orders/103282").status)

	i.stop(t)
	eventually(t, func() bool { return fires(serviceDown) }, "the alert to fire: %s", p.logs)
	i = serving(t, "", "--db", db, "--listen", addr)
	eventually(t, func() bool { return !fires(serviceDown) }, "the alert to end: %s", p.logs)
	i.stop(t)
}
