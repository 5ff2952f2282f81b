package k8s_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// definitions are the CRDs that manifests need, as their own projects publish them: a Go module and files in it.
var definitions = map[string][]string{
	"github.com/prometheus-operator/prometheus-operator@v0.85.0": {
		"example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
		"example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
	},
	"sigs.k8s.io/gateway-api@v1.4.1": {
		"config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",
		"config/crd/standard/gateway.networking.k8s.io_backendtlspolicies.yaml",
	},
}

// define installs the definitions in the cluster.
func define(t testing.TB, c *cluster) {
	t.Helper()
	for module, files := range definitions {
		cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
		cmd.Dir = t.TempDir() // outside of any module
		out, err := cmd.Output()
		require.NoError(t, err, "%s: %s", module, out)
		var answer struct{ Dir string }
		require.NoError(t, json.Unmarshal(out, &answer))
		for _, file := range files {
			c.must(t, "", "apply", "--server-side", "-f", filepath.Join(answer.Dir, file))
			_, kind, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".yaml"), "_")
			group, _, _ := strings.Cut(filepath.Base(file), "_")
			eventually(t, func() bool { // kubectl cannot wait for conditions while there are none yet
				return c.run(t, "", "wait", "--for=condition=established", "--timeout=5s", "crd", kind+"."+group).failed == nil
			}, "%s are served", kind)
		}
	}
}

// offer sends objects to the API server, which validates them strictly and stores nothing.
func (c *cluster) offer(t testing.TB, namespace, text string) said {
	t.Helper()
	return c.run(t, text, "apply", "--server-side", "--dry-run=server", "--validate=strict", "-n", namespace, "-f", "-")
}

// pods returns the pods of workloads as objects of their own, because for a workload Pod Security only warns.
func pods(all []object) (bare []object) {
	for _, o := range all {
		if o.template() == nil {
			continue
		}
		spec := maps.Clone(at(o.template(), "spec").(map[string]any)) //nolint:forcetypeassert // a template has one
		volumes := slices.Clone(list(spec, "volumes"))
		for _, claim := range list(o, "spec", "volumeClaimTemplates") {
			name := text(claim, "metadata", "name")
			volumes = append(volumes, map[string]any{"name": name,
				"persistentVolumeClaim": map[string]any{"claimName": name + "-0"}})
		}
		spec["volumes"] = volumes
		bare = append(bare, object{
			"apiVersion": "v1", "kind": "Pod", "spec": spec,
			"metadata": map[string]any{"name": o.name() + "-0", "labels": at(o.template(), "metadata", "labels"),
				"annotations": at(o.template(), "metadata", "annotations")},
		})
	}
	return bare
}

// A real API server accepts all manifests by its schemas, unchanged and without a warning, in a namespace that enforces
// restricted: workloads and their pods.
func TestAPI_Accepted(t *testing.T) {
	c := requireCluster(t)
	define(t, c)
	restricted := c.namespace(t)
	for name, all := range everything(t) {
		t.Run(name, func(t *testing.T) {
			s := c.offer(t, restricted, dump(t, slices.Concat(all, pods(all))...))
			require.NoError(t, s.failed, s.err)
			require.Empty(t, s.err)
		})
	}
}

// The same server refuses what breaks a schema, Pod Security or a definition, so accepting a manifest means something.
func TestAPI_Refused(t *testing.T) {
	c := requireCluster(t)
	define(t, c)
	namespace := c.namespace(t)
	for name, v := range map[string]struct{ folder, kind, object, from, to, says string }{
		"UnknownField": {"overlays/postgres", "Deployment", "brokerage", "minReadySeconds:", "minReadySecond:",
			"minReadySecond"},
		"Root": {"overlays/embedded", "Pod", "brokerage-0", "runAsNonRoot: true", "runAsNonRoot: false",
			"runAsNonRoot"},
		"RuleOfNoGroup": {"monitoring", "PrometheusRule", "brokerage", "alert:", "alarm:", "alarm"},
	} {
		t.Run(name, func(t *testing.T) {
			all := everything(t)[v.folder]
			whole := dump(t, find(t, slices.Concat(all, pods(all)), v.kind, v.object))
			require.Contains(t, whole, v.from) // unchanged, it is accepted: see the test above
			s := c.offer(t, namespace, strings.ReplaceAll(whole, v.from, v.to))
			require.Error(t, s.failed)
			require.Contains(t, s.err, v.says, fmt.Sprint(v))
		})
	}
}
