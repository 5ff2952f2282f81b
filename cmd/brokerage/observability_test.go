package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
	"brokerage/internal/telemetry"
	"brokerage/internal/testenv"
)

const deployed = "../../deploy/observability/"

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
	scraped := i.counted(t)
	metrics := freeAddress(t)
	withTLS, _ := newAuthority(t).mutual(t, func(args ...string) *instance { // which has one more
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
