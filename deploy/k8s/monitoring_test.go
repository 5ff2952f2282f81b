package k8s_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

const ruleHeader = `# Made of deploy/observability/rules: UPDATE_RULES=1 go test ./deploy/k8s -run TestMonitoring
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: brokerage
  labels:
    app.kubernetes.io/name: brokerage
spec:
  groups:
`

// The operator needs the rules inside of an object: they are the same rules.
func TestMonitoring_Rules(t *testing.T) {
	files, err := filepath.Glob("../observability/rules/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	made := ruleHeader
	for _, file := range files {
		_, rules, found := strings.Cut(testenv.Text(t, file), "\ngroups:\n")
		require.True(t, found, file)
		for line := range strings.Lines(rules) {
			if strings.TrimSpace(line) != "" {
				line = "  " + line
			}
			made += line
		}
	}
	requireGenerated(t, "UPDATE_RULES", "overlays/monitoring/prometheusrule.yaml", made)
}

// The links of all alerts lead to the copy of the runbook that runbook.yaml names, and to the entry of the alert.
func TestMonitoring_Runbook(t *testing.T) {
	const theirs = "https://wiki.example.org/runbook"
	dir := filepath.Join(t.TempDir(), "k8s")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "monitoring"), os.DirFS("overlays/monitoring")))
	file := filepath.Join(dir, "monitoring", "runbook.yaml")
	content := testenv.Text(t, file)
	changed := strings.Replace(content, text(objects(t, content)[0], "data", "url"), theirs, 1)
	require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
	kustomization := filepath.Join(dir, "monitoring", "kustomization.yaml")
	changed = strings.Replace(testenv.Text(t, kustomization), "  - ../../../observability\n", "", 1) // it is not there
	require.NoError(t, os.WriteFile(kustomization, []byte(changed), 0o600))

	all := render(t, filepath.Join(dir, "monitoring"))
	links := 0
	for _, o := range all {
		require.NotEqual(t, "ConfigMap", o.kind(), "runbook.yaml is for rendering only")
		for _, group := range list(o, "spec", "groups") {
			for _, rule := range list(group, "rules") {
				if name := text(rule, "alert"); name != "" {
					links++
					require.Equal(t, theirs+"#"+strings.ToLower(name), text(rule, "annotations", "runbook_url"))
				}
			}
		}
	}
	require.Positive(t, links)
}

// Prometheus scrapes classic histograms, even if it scrapes native ones.
func TestMonitoring_ClassicHistograms(t *testing.T) {
	monitor := find(t, render(t, "overlays/monitoring"), "ServiceMonitor", "brokerage")
	require.Equal(t, true, at(monitor, "spec", "scrapeClassicHistograms"))
}

// The runbook's commands name objects and labels that the manifests have.
func TestMonitoring_RunbookCommands(t *testing.T) {
	content := testenv.Text(t, "../../docs/runbook.md")
	has := map[string]bool{}
	for _, all := range everything(t) {
		for _, o := range all {
			has[strings.ToLower(o.kind())+"/"+o.name()] = true
			labels, _ := at(o.template(), "metadata", "labels").(map[string]any)
			for key, value := range labels {
				has[fmt.Sprint(key, "=", value)] = true
			}
		}
	}
	has["hpa/brokerage"] = has["horizontalpodautoscaler/brokerage"]
	named := regexp.MustCompile(`(deployment|statefulset)/\S+|hpa \S+|\S+/\S+=\S+`)
	commands := regexp.MustCompile("`kubectl ([^`]+)`").FindAllStringSubmatch(content, -1)
	require.NotEmpty(t, commands)
	names := 0
	for _, command := range commands {
		for _, name := range named.FindAllString(command[1], -1) {
			names++
			require.True(t, has[strings.Replace(name, " ", "/", 1)], "%s of: kubectl %s", name, command[1])
		}
	}
	require.Greater(t, names, 4)
}
