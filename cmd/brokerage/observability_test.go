package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
	"brokerage/internal/telemetry"
	"brokerage/internal/testenv"
)

const deployed = "../../deploy/observability/"

// rule is a rule of Prometheus.
type rule struct{ Record, Alert, Expr string }

func rules(t testing.TB) (all []rule) {
	t.Helper()
	files, err := filepath.Glob(deployed + "rules/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		var file struct{ Groups []struct{ Rules []rule } }
		require.NoError(t, yaml.Unmarshal([]byte(testenv.Text(t, path)), &file))
		for _, group := range file.Groups {
			all = append(all, group.Rules...)
		}
	}
	return all
}

// asked returns the metrics of all queries, each with a query that uses it, except those that rules record.
func asked(t testing.TB) map[string]string {
	t.Helper()
	var queries []string
	recorded := map[string]bool{}
	for _, r := range rules(t) {
		queries = append(queries, r.Expr)
		recorded[r.Record] = true
	}
	for _, expr := range regexp.MustCompile(`"expr": (".*")`).FindAllStringSubmatch(
		testenv.Text(t, deployed+"grafana/brokerage.json"), -1) {
		var query string
		require.NoError(t, json.Unmarshal([]byte(expr[1]), &query))
		queries = append(queries, query)
	}
	all := map[string]string{}
	for _, query := range queries {
		names := metricsIn(query)
		require.NotEmpty(t, names, query)
		for _, name := range names {
			if recorded[name] || strings.HasPrefix(name, "kube_") { // of kube-state-metrics: see deploy/k8s
				continue
			}
			require.NotContains(t, name, ":", "no rule records it: %s", query)
			all[name] = query
		}
	}
	return all
}

var (
	texts       = regexp.MustCompile(`"[^"]*"`)
	matchers    = regexp.MustCompile(`\{[^}]*\}`)
	clauses     = regexp.MustCompile(`\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	ranges      = regexp.MustCompile(`\[[^\]]*\]`)
	identifiers = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`)
	operators   = []string{"and", "or", "unless", "bool", "offset"}
	// Prometheus makes the first three itself, kube-state-metrics the others.
	ofOthers = []string{"up", "scrape_duration_seconds", "ALERTS",
		"brokerage_store_statement_duration_seconds", // of a server: TestPrometheus_StoreStopped
		"brokerage_store_statement_duration_seconds_bucket", "brokerage_store_statement_duration_seconds_sum",
		"kube_horizontalpodautoscaler_status_current_replicas", "kube_horizontalpodautoscaler_spec_max_replicas"}
)

// metricsIn returns the metrics of a query that promtool has accepted: names that are neither labels nor functions nor
// operators.
func metricsIn(query string) (found []string) {
	for _, other := range []*regexp.Regexp{texts, matchers, clauses, ranges} {
		query = other.ReplaceAllString(query, " ")
	}
	for _, name := range identifiers.FindAllString(query, -1) {
		if name = strings.TrimSpace(name); !strings.HasSuffix(name, "(") && !slices.Contains(operators, name) {
			found = append(found, name)
		}
	}
	return found
}

// uncounted returns the metrics of a process that this system does not count, such as its waits for disks.
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
	var scraped string
	eventually(t, func() bool {
		scraped = get(t, i.url+"/metrics").body
		return strings.Contains(scraped, "brokerage_store_documents{") && strings.Contains(scraped, "brokerage_dataset_info{")
	}, "what is looked at beside the scrapes in %s", &scraped)
	ca, files, metricsAddr := newAuthority(t), t.TempDir(), freeAddress(t) // with TLS, there is one more
	cert, key := ca.issue(t, 100)
	mount(t, files, "v1", map[string][]byte{"tls.crt": cert, "tls.key": key})
	withTLS := serving(t, "", "--db", "null:", "--metrics-addr", metricsAddr,
		"--tls-cert", filepath.Join(files, "tls.crt"), "--tls-key", filepath.Join(files, "tls.key"))
	scraped += get(t, "http://"+metricsAddr+"/metrics").body
	withTLS.stop(t)
	exists := func(name string) bool { // a histogram's own name is that of its native buckets, which the text format lacks
		return regexp.MustCompile(`(?m)^`+name+`(_count)?(\{| )`).MatchString(scraped) ||
			slices.Contains(ofOthers, name) || slices.Contains(uncounted(), name)
	}
	for name, query := range asked(t) {
		require.True(t, exists(name), "%s, of %s", name, query)
	}
	for _, document := range []string{"../../docs/runbook.md", "../../docs/observability.md"} {
		text := testenv.Text(t, document)
		found := regexp.MustCompile("`((brokerage|process|go)_[a-z_]+)`").FindAllStringSubmatch(text, -1)
		require.NotEmpty(t, found)
		for _, name := range found {
			if name[1] == "brokerage_process_io_wait_seconds_total" {
				continue // only where the system counts it
			}
			require.True(t, exists(name[1]), "%s, of %s", name[1], document)
		}
	}
	require.Equal(t, http.StatusOK, get(t, i.url+"/readyz").status)
	i.stop(t)
}
