package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// The file is what the panels make.
func TestDashboard_Generated(t *testing.T) {
	kept := testenv.Text(t, "../grafana/brokerage.json")
	require.Equal(t, string(encode(rows)), kept, "go generate ./deploy/observability/dashboard writes it")
}

// Panels do not overlap, and each has queries with legends.
func TestDashboard_Layout(t *testing.T) {
	var d struct {
		Panels []struct {
			ID          int
			Type, Title string
			GridPos     struct{ X, Y, W, H int }
			Targets     []struct{ LegendFormat string }
		}
	}
	require.NoError(t, json.Unmarshal(encode(rows), &d))
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, g := range d.Panels {
		require.False(t, ids[g.ID])
		ids[g.ID] = true
		for x := g.GridPos.X; x < g.GridPos.X+g.GridPos.W; x++ {
			require.Less(t, x, wide)
			for y := g.GridPos.Y; y < g.GridPos.Y+g.GridPos.H; y++ {
				require.Empty(t, taken[[2]int{x, y}], g.Title)
				taken[[2]int{x, y}] = g.Title
			}
		}
		if g.Type == "row" {
			continue
		}
		require.NotEmpty(t, g.Targets, g.Title)
		for _, target := range g.Targets {
			require.NotEmpty(t, target.LegendFormat, g.Title)
		}
	}
}

// Prometheus reads every query.
func TestDashboard_Parses(t *testing.T) {
	promtool := testenv.Command(t, "promtool")
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	n := 0
	for _, r := range rows {
		for _, p := range r.panels {
			for _, q := range p.queries {
				n++
				expr := strings.ReplaceAll(q.expr, "$__rate_interval", "5m")
				fmt.Fprintf(&rules, "  - record: query:%d\n    expr: %q\n", n, expr)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "queries.yml")
	require.NoError(t, os.WriteFile(file, []byte(rules.String()), 0o600))
	out, err := exec.CommandContext(t.Context(), promtool, "check", "rules", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), fmt.Sprintf("%d rules found", n))
}

// Each query selects the chosen namespace, and each of instances the chosen pods and instances.
func TestDashboard_Variables(t *testing.T) {
	var d struct {
		Templating struct {
			List []struct{ Name, Query string }
		}
	}
	require.NoError(t, json.Unmarshal(encode(rows), &d))
	var names []string
	for _, v := range d.Templating.List {
		names = append(names, v.Name)
	}
	require.Equal(t, []string{"datasource", "namespace", "pod", "instance"}, names)
	selectors := regexp.MustCompile(`[a-z_:0-9]+\{[^}]*\}`)
	for _, r := range rows {
		for _, p := range r.panels {
			for _, q := range p.queries {
				found := selectors.FindAllString(q.expr, -1)
				require.NotEmpty(t, found, q.expr)
				for _, selector := range found {
					require.Contains(t, selector, `namespace=~"$namespace"`, q.expr)
					if !strings.HasPrefix(selector, "job:") {
						require.Contains(t, selector, `pod=~"$pod",instance=~"$instance"`, q.expr)
					}
				}
			}
		}
	}
}
