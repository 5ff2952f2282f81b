// Package observability_test checks the rules for Prometheus by its own tool and against the runbook.
package observability_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

func promtool(t testing.TB, arguments ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), testenv.Command(t, "promtool"), arguments...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func read(t testing.TB, path string, into any) {
	t.Helper()
	require.NoError(t, yaml.UnmarshalWithOptions([]byte(testenv.Text(t, path)), into, yaml.Strict()), path)
}

// alert is one of the rules.
type alert struct {
	Record, Alert, Expr, For string
	Labels, Annotations      map[string]string
}

func alerts(t testing.TB) (all []alert) {
	t.Helper()
	for _, path := range []string{"rules/alerts.yml", "rules/backup.yml"} {
		var file struct {
			Groups []struct {
				Name  string
				Rules []alert
			}
		}
		read(t, path, &file)
		require.NotEmpty(t, file.Groups, path)
		for _, group := range file.Groups {
			all = append(all, group.Rules...)
		}
	}
	return all
}

func TestRules_Configuration(t *testing.T) { promtool(t, "check", "config", "prometheus.yml") }

func TestRules_Units(t *testing.T) {
	testenv.Long(t)
	files, err := filepath.Glob("tests/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	promtool(t, append([]string{"test", "rules"}, files...)...)
}

// Each alert has a test in which it fires, and one in which it does not.
func TestRules_EveryAlertIsTested(t *testing.T) {
	files, err := filepath.Glob("tests/*.yml")
	require.NoError(t, err)
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, path := range files {
		var file struct {
			Tests []struct {
				Checks []struct {
					Alert    string           `yaml:"alertname"`
					Expected []map[string]any `yaml:"exp_alerts"`
					Time     string           `yaml:"eval_time"`
				} `yaml:"alert_rule_test"`
				Name, Interval string
				Series         []map[string]string `yaml:"input_series"`
				Values         []any               `yaml:"promql_expr_test"`
			}
			Rules    []string `yaml:"rule_files"`
			Interval string   `yaml:"evaluation_interval"`
			Order    []string `yaml:"group_eval_order"`
		}
		read(t, path, &file)
		for _, test := range file.Tests {
			for _, check := range test.Checks {
				if len(check.Expected) > 0 {
					fires[check.Alert] = true
				} else {
					quiet[check.Alert] = true
				}
			}
		}
	}
	for _, a := range alerts(t) {
		require.True(t, fires[a.Alert], "no test lets %s fire", a.Alert)
		tested := quiet[a.Alert] || a.Alert == "BrokerageDiskFullSoon" // the test of its neighbour covers it
		require.True(t, tested, "no test keeps %s quiet", a.Alert)
	}
}

// runbook is the address of the runbook in the rules, a placeholder that components/monitoring or sed replaces.
const runbook = "https://git.example.com/brokerage/blob/main/docs/runbook.md"

// The runbook says what every alert means, what to look at and what to do. Each alert has a link to its entry that
// works outside of the repository.
func TestRules_Runbook(t *testing.T) {
	entries := map[string]string{}
	for i, entry := range strings.Split(testenv.Text(t, "../../docs/runbook.md"), "\n## ") {
		if name, body, _ := strings.Cut(entry, "\n"); i > 0 {
			entries[name] = body
		}
	}
	var names []string
	windows := regexp.MustCompile(`Burn(Fast|Steady|Slow)$`) // share an entry
	for _, a := range alerts(t) {
		entry := windows.ReplaceAllString(a.Alert, "Burn")
		names = append(names, entry)
		require.Contains(t, []string{"page", "ticket"}, a.Labels["severity"], a.Alert)
		require.NotEmpty(t, a.Annotations["summary"], a.Alert)
		require.Equal(t, runbook+"#"+strings.ToLower(entry), a.Annotations["runbook_url"])
		for _, part := range []string{"**What it means.** ", "**What to look at.** ", "**What to do.** "} {
			_, says, found := strings.Cut(entries[entry], "\n"+part)
			require.True(t, found, "the entry of %s lacks %q", a.Alert, part)
			says, _, _ = strings.Cut(says, "\n\n")
			require.Greater(t, len(says), 40, "%s: %s", a.Alert, part)
		}
	}
	for name := range entries {
		require.True(t, slices.Contains(names, name), "there is no alert %s", name)
	}
}

// panel is a panel of the dashboard, or a row; a collapsed one has the panels below it.
type panel struct {
	Type, Title string
	GridPos     struct{ X, Y, W, H int }
	Targets     []struct{ Expr, LegendFormat string }
	FieldConfig struct{ Defaults struct{ NoValue string } }
	Panels      []panel
}

// Prometheus reads every query of the dashboard, each selects the chosen namespace, and has a legend; a figure that may
// be missing says why; panels do not overlap, and those of one engine are collapsed.
func TestDashboard(t *testing.T) {
	var d panel
	require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, "grafana/brokerage.json")), &d))
	queries := queriesOf(t, d.Panels)
	for _, row := range d.Panels {
		require.Equal(t, strings.Contains(row.Title, " only"), len(row.Panels) > 0, row.Title)
		queries = append(queries, queriesOf(t, row.Panels)...)
	}
	var records []map[string]string
	for n, query := range queries {
		records = append(records, map[string]string{"record": fmt.Sprintf("query:%d", n),
			"expr": strings.ReplaceAll(query, "$__rate_interval", "5m")})
	}
	rules, err := json.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": records}}})
	require.NoError(t, err)
	promtool(t, "check", "rules", testenv.File(t, "queries.yml", string(rules)))
}

// queriesOf checks panels that are seen together, and returns their queries.
func queriesOf(t testing.TB, panels []panel) (queries []string) {
	t.Helper()
	taken := map[[2]int]string{}
	for _, p := range panels {
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				require.Empty(t, taken[[2]int{x, y}], p.Title)
				taken[[2]int{x, y}] = p.Title
			}
		}
		require.Equal(t, p.Type == "row", len(p.Targets) == 0, p.Title)
		require.Equal(t, p.Type == "stat", p.FieldConfig.Defaults.NoValue != "", p.Title)
		for _, target := range p.Targets {
			require.NotEmpty(t, target.LegendFormat, p.Title)
			require.Contains(t, target.Expr, `namespace=~"$namespace"`, p.Title)
			queries = append(queries, target.Expr)
		}
	}
	return queries
}

// Each matcher of the Alertmanager example matches an existing alert, and only alerts of severity page mute others.
func TestAlertmanager(t *testing.T) {
	var config struct {
		Rules []struct {
			Source []string `yaml:"source_matchers"`
			Target []string `yaml:"target_matchers"`
			Equal  []string
		} `yaml:"inhibit_rules"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(testenv.Text(t, "alertmanager.yml")), &config))
	require.NotEmpty(t, config.Rules)
	for _, rule := range config.Rules {
		require.Equal(t, []string{"namespace"}, rule.Equal)
		for n, matcher := range append(rule.Source, rule.Target...) {
			pattern, found := strings.CutPrefix(strings.TrimSuffix(matcher, `"`), `alertname=~"`)
			require.True(t, found, matcher)
			name, matched := regexp.MustCompile("^("+pattern+")$"), 0
			for _, a := range alerts(t) {
				if name.MatchString(a.Alert) {
					matched++
					require.True(t, n >= len(rule.Source) || a.Labels["severity"] == "page", "%s mutes others", a.Alert)
				}
			}
			require.Positive(t, matched, matcher)
		}
	}
}
