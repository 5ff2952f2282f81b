package k8s_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
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
	var groups []any
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		_, rules, found := strings.Cut(string(content), "\ngroups:\n")
		require.True(t, found, file)
		for line := range strings.Lines(rules) {
			if strings.TrimSpace(line) != "" {
				line = "  " + line
			}
			made += line
		}
		var o object
		require.NoError(t, yaml.Unmarshal(content, &o))
		groups = append(groups, list(o, "groups")...)
	}
	const target = "overlays/monitoring/prometheusrule.yaml"
	if os.Getenv("UPDATE_RULES") != "" {
		require.NoError(t, os.WriteFile(target, []byte(made), 0o644)) //nolint:gosec // a file of the sources
	}
	content, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, made, string(content),
		"%s is not what the rules make: UPDATE_RULES=1 go test ./deploy/k8s -run TestMonitoring", target)
	var o object
	require.NoError(t, yaml.Unmarshal(content, &o))
	require.Equal(t, groups, list(o, "spec", "groups"))
}
