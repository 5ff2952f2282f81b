package k8s_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

const ruleHeader = `# Generated from deploy/observability/rules: UPDATE_RULES=1 go test ./deploy/k8s -run TestMonitoring
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: brokerage
  labels:
    app.kubernetes.io/name: brokerage
spec:
  groups:
`

// The operator needs the rules inside of an object: they are the same rules, one a line and without their comments.
func TestMonitoring_Rules(t *testing.T) {
	files, err := filepath.Glob("../observability/rules/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	made := ruleHeader
	for _, file := range files {
		for _, group := range list(objects(t, testenv.Text(t, file))[0], "groups") {
			made += "    - name: " + text(group, "name") + "\n"
			if interval := text(group, "interval"); interval != "" {
				made += "      interval: " + interval + "\n"
			}
			made += "      rules:\n"
			for _, rule := range list(group, "rules") {
				var line strings.Builder
				encoder := json.NewEncoder(&line)
				encoder.SetEscapeHTML(false)
				require.NoError(t, encoder.Encode(rule))
				made += "        - " + line.String()
			}
		}
	}
	const kept = "components/monitoring/prometheusrule.yaml"
	if os.Getenv("UPDATE_RULES") != "" {
		require.NoError(t, os.WriteFile(kept, []byte(made), 0o644)) //nolint:gosec // a file of the sources
	}
	require.Equal(t, made, testenv.Text(t, kept))
}

// All alerts link to entries of the runbook at the address in runbook.yaml. The objects have the label by which
// kube-prometheus-stack finds them.
func TestMonitoring_Links(t *testing.T) {
	address := text(objects(t, testenv.Text(t, "components/monitoring/runbook.yaml"))[0], "data", "url")
	all := compose(t, variants["monitoring"])
	rules := find(t, all, "PrometheusRule", "brokerage")
	for _, group := range list(rules, "spec", "groups") {
		for _, rule := range list(group, "rules") {
			if name := text(rule, "alert"); name != "" {
				require.Contains(t, text(rule, "annotations", "runbook_url"), address+"#brokerage", name)
			}
		}
	}
	for _, o := range []object{rules, find(t, all, "ServiceMonitor", "brokerage")} {
		require.Equal(t, "kube-prometheus-stack", text(o, "metadata", "labels", "release"))
	}
}

// The runbook's commands name objects and labels that the manifests have.
func TestMonitoring_RunbookCommands(t *testing.T) {
	testenv.Long(t)
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
	named := regexp.MustCompile(`(deployment|statefulset|job|cronjob)/[\w.-]+|hpa \w+|app\.kubernetes\.io/\w+=\w+`)
	names := 0
	for command := range strings.Lines(testenv.Text(t, "../../docs/runbook.md")) {
		if !strings.Contains(command, "kubectl ") {
			continue
		}
		for _, name := range named.FindAllString(command, -1) {
			names++
			require.True(t, has[strings.Replace(name, " ", "/", 1)], "%s of: %s", name, command)
		}
	}
	require.Greater(t, names, 4)
}
