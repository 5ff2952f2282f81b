package k8s_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// everything is each overlay and each variant, rendered.
func everything(t testing.TB) map[string][]object {
	t.Helper()
	all := make(map[string][]object)
	for _, overlay := range overlays(t) {
		all[filepath.Base(overlay)] = render(t, overlay)
	}
	for name, kustomization := range variants {
		known, ok := rendered.Load(name)
		if !ok {
			all[name] = render(t, variant(t, kustomization))
			rendered.Store(name, dump(t, all[name]...))
			continue
		}
		all[name] = objects(t, known.(string)) //nolint:forcetypeassert // nothing else is put there
	}
	return all
}

// theirs reports whether the image of a pod needs more rights than the project's: see components/db2.
func theirs(o object) bool {
	return strings.HasPrefix(o.name(), "brokerage-db2") && o.template() != nil
}

// size reads 512Mi, 460MiB or 1Gi.
func size(t testing.TB, s string) float64 {
	t.Helper()
	digits := strings.TrimRight(s, "GMKiB")
	n, err := strconv.ParseFloat(digits, 64)
	require.NoError(t, err, s)
	unit := map[string]float64{"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}[strings.TrimSuffix(s[len(digits):], "B")]
	require.NotZero(t, unit, "not a size: %s", s)
	return n * unit
}

func number(t testing.TB, v any, path ...string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(fmt.Sprint(at(v, path...))))
	require.NoError(t, err, "%v of %v", path, v)
	return n
}

func TestConventions_Pods(t *testing.T) {
	for overlay, all := range everything(t) {
		for _, o := range all {
			template := o.template()
			if template == nil {
				continue
			}
			t.Run(overlay+"/"+o.kind()+"/"+o.name(), func(t *testing.T) {
				spec := at(template, "spec")
				require.Equal(t, false, at(spec, "automountServiceAccountToken"))
				require.Equal(t, false, at(spec, "enableServiceLinks"))
				for _, c := range list(spec, "containers") {
					require.NotEmpty(t, text(c, "resources", "requests", "cpu"))
					require.NotEmpty(t, text(c, "resources", "requests", "memory"))
					require.NotEmpty(t, text(c, "resources", "limits", "memory"))
					if theirs(o) {
						require.Equal(t, false, at(c, "securityContext", "privileged"))
						continue
					}
					require.Equal(t, true, at(c, "securityContext", "readOnlyRootFilesystem"))
				}
			})
		}
	}
}

func TestConventions_Labels(t *testing.T) {
	for overlay, all := range everything(t) {
		for _, o := range all {
			labels := at(o, "metadata", "labels")
			require.Equal(t, "brokerage", text(labels, "app.kubernetes.io/part-of"), "%s: %s %s", overlay, o.kind(), o.name())
			if o.template() != nil {
				require.NotEmpty(t, text(o.template(), "metadata", "labels", "app.kubernetes.io/component"),
					"%s: %s %s", overlay, o.kind(), o.name())
			}
		}
	}
}

// service returns the workload that runs the service.
func service(t testing.TB, all []object) object {
	t.Helper()
	for _, o := range all {
		if o.name() == "brokerage" && (o.kind() == "Deployment" || o.kind() == "StatefulSet") {
			return o
		}
	}
	return nil
}

func TestConventions_Service(t *testing.T) {
	served := 0
	for overlay, all := range everything(t) {
		workload := service(t, all)
		if workload == nil {
			continue
		}
		served++
		t.Run(overlay, func(t *testing.T) {
			spec := at(workload.template(), "spec")
			c := list(spec, "containers")[0]
			settings := at(find(t, all, "ConfigMap", "brokerage"), "data")

			// Only readiness depends on the database.
			require.Equal(t, "/healthz", text(c, "startupProbe", "httpGet", "path"))
			require.Equal(t, "/healthz", text(c, "livenessProbe", "httpGet", "path"))
			require.Equal(t, "/readyz", text(c, "readinessProbe", "httpGet", "path"))
			require.GreaterOrEqual(t,
				number(t, c, "startupProbe", "periodSeconds")*number(t, c, "startupProbe", "failureThreshold"), 300)

			// The whole shutdown fits into the grace period.
			end := time.Duration(number(t, c, "lifecycle", "preStop", "sleep", "seconds")) * time.Second
			for _, name := range []string{"BROKERAGE_DRAIN_DELAY", "BROKERAGE_SHUTDOWN_TIMEOUT"} {
				step, err := time.ParseDuration(text(settings, name))
				require.NoError(t, err)
				end += step
			}
			require.Less(t, end, time.Duration(number(t, spec, "terminationGracePeriodSeconds"))*time.Second)

			limit := size(t, text(c, "resources", "limits", "memory"))
			share := 0.9
			if overlay == "db2" || overlay == "db2-dev" {
				share = 0.625 // the driver, which is written in C, uses the rest
			}
			var goLimit string
			for _, e := range list(c, "env") {
				if text(e, "name") == "GOMEMLIMIT" {
					goLimit = text(e, "value")
				}
				require.NotEqual(t, "GOMAXPROCS", text(e, "name")) // Go follows the limit
			}
			require.InDelta(t, share, size(t, goLimit)/limit, 0.01)
			require.NotEmpty(t, text(c, "resources", "limits", "cpu"))

			budget := find(t, all, "PodDisruptionBudget", "brokerage")
			require.Equal(t, at(workload, "spec", "selector"), at(budget, "spec", "selector"))
			require.Equal(t, at(workload, "spec", "selector", "matchLabels"),
				at(find(t, all, "Service", "brokerage"), "spec", "selector"))
			find(t, all, "NetworkPolicy", "default-deny")
		})
	}
	require.Equal(t, 11, served)
}

// The overlay for an external database takes each URL from the Secret of its role.
func TestConventions_External(t *testing.T) {
	all := render(t, "overlays/external")
	fromSecret := func(kind, name, variable, secret string) {
		t.Helper()
		c := list(find(t, all, kind, name).template(), "spec", "containers")[0]
		i := slices.IndexFunc(list(c, "env"), func(e any) bool { return text(e, "name") == variable })
		require.GreaterOrEqual(t, i, 0)
		require.Equal(t, map[string]any{"name": secret, "key": "url"}, at(list(c, "env")[i], "valueFrom", "secretKeyRef"))
	}
	fromSecret("Deployment", "brokerage", "BROKERAGE_DB", "brokerage-database")
	fromSecret("Job", "brokerage-migrate", "URL", "brokerage-database-owner")
	migrate := list(find(t, all, "Job", "brokerage-migrate").template(), "spec", "containers")[0]
	require.Equal(t, []any{"migrate", "--wait", "--db", "$(URL)"}, list(migrate, "args"))
	rules := list(find(t, all, "NetworkPolicy", "to-database"), "spec", "egress")
	require.Len(t, rules, 1)
	require.Nil(t, at(rules[0], "to"), "it may be anywhere")
}

// Every setting in a manifest exists, and is documented.
func TestConventions_Settings(t *testing.T) {
	readme, err := os.ReadFile("../../docs/commands.md")
	require.NoError(t, err)
	source, err := os.ReadFile("../../internal/service/config.go")
	require.NoError(t, err)
	variable := regexp.MustCompile(`BROKERAGE_[A-Z_]+`)
	for overlay, all := range everything(t) {
		for _, name := range variable.FindAllString(dump(t, all...), -1) {
			flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "BROKERAGE_")), "_", "-")
			if !strings.Contains(string(readme), "--"+flag) {
				t.Errorf("docs/commands.md has no --%s, which %s sets", flag, overlay)
			}
			field := strings.ToLower(strings.ReplaceAll(flag, "-", ""))
			if !strings.Contains(strings.ToLower(string(source)), "\t"+field+" ") {
				t.Errorf("serve has no --%s, which %s sets", flag, overlay)
			}
		}
	}
}

// Every script, library, workload and template is in a ConfigMap, none of which is too large.
func TestConventions_LoadTest(t *testing.T) {
	all := render(t, "overlays/loadtest")
	const most = 1 << 20
	there := make(map[string]bool)
	for _, o := range all {
		if o.kind() != "ConfigMap" {
			continue
		}
		require.Less(t, len(dump(t, o)), most, o.name())
		data, _ := at(o, "data").(map[string]any)
		for key := range data {
			there[key] = true
		}
	}
	for _, pattern := range []string{"*.js", "lib/*.js", "transactions/*.js", "workloads/*.json", "templates/*.json"} {
		files, err := filepath.Glob("../../loadtest/" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			if name := filepath.Base(file); name != "workload.schema.json" {
				require.True(t, there[name], file)
			}
		}
	}
}
