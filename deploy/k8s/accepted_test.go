package k8s_test

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// operator is the module with the definitions of ServiceMonitor and PrometheusRule.
const operator = "github.com/prometheus-operator/prometheus-operator@v0.85.0"

// monitoring adds the kinds of the Prometheus operator to the cluster, as the operator defines them.
func monitoring(t testing.TB, c *cluster) {
	t.Helper()
	if c.run(t, "", "get", "crd", "prometheusrules.monitoring.coreos.com").failed == nil {
		return
	}
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", operator)
	cmd.Dir = t.TempDir() // outside of any module
	out, err := cmd.Output()
	require.NoError(t, err)
	_, dir, _ := strings.Cut(string(out), `"Dir": "`)
	dir, _, _ = strings.Cut(dir, `"`)
	for _, kind := range []string{"servicemonitors", "prometheusrules"} {
		file := filepath.Join(dir, "example", "prometheus-operator-crd", "monitoring.coreos.com_"+kind+".yaml")
		c.must(t, "", "apply", "--server-side", "-f", file)
		eventually(t, func() bool { // kubectl cannot wait for conditions while there are none yet
			return c.run(t, "", "wait", "--for=condition=established", "--timeout=5s", "crd",
				kind+".monitoring.coreos.com").failed == nil
		}, "%s are served", kind)
	}
}

// offer sends objects to the API server, which validates them strictly and stores nothing.
func (c *cluster) offer(t testing.TB, namespace string, all ...object) said {
	t.Helper()
	return c.offered(t, namespace, dump(t, all...))
}

func (c *cluster) offered(t testing.TB, namespace, text string) said {
	t.Helper()
	return c.run(t, text, "apply", "--server-side", "--dry-run=server", "--validate=strict", "-n", namespace, "-f", "-")
}

// pods returns the pods of workloads as objects of their own, because for a workload Pod Security only warns.
func pods(all []object) (bare []object) {
	for _, o := range all {
		template := o.template()
		if template == nil || o.kind() == "Pod" {
			continue
		}
		spec := maps.Clone(at(template, "spec").(map[string]any)) //nolint:forcetypeassert // a template has one
		if o.kind() == "StatefulSet" {
			volumes := append([]any(nil), list(spec, "volumes")...)
			for _, claim := range list(o, "spec", "volumeClaimTemplates") {
				volumes = append(volumes, map[string]any{
					"name":                  text(claim, "metadata", "name"),
					"persistentVolumeClaim": map[string]any{"claimName": text(claim, "metadata", "name") + "-0"},
				})
			}
			spec["volumes"] = volumes
		}
		bare = append(bare, object{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{
				"name":        o.name() + "-0",
				"labels":      at(template, "metadata", "labels"),
				"annotations": at(template, "metadata", "annotations"),
			},
			"spec": spec,
		})
	}
	return bare
}

// A real API server accepts all manifests unchanged, in a namespace that enforces restricted: workloads and their pods.
func TestManifests_Accepted(t *testing.T) {
	c := requireCluster(t)
	monitoring(t, c)
	restricted := c.namespace(t, "restricted")
	for name, all := range everything(t) {
		t.Run(name, func(t *testing.T) {
			bare := pods(all)
			if i := slices.IndexFunc(bare, theirs); i >= 0 {
				s := c.offer(t, restricted, bare[i])
				require.Error(t, s.failed) // as docs/kubernetes.md says
				require.Contains(t, s.err, "violates PodSecurity")
				s = c.offer(t, c.namespace(t, "privileged"), bare[i])
				require.NoError(t, s.failed, s.err)
				bare = slices.Delete(bare, i, i+1)
			}
			s := c.offer(t, restricted, slices.Concat(all, bare)...)
			require.NoError(t, s.failed, s.err)
			for warning := range strings.Lines(s.err) {
				require.Contains(t, warning, `container "db2"`)
			}
		})
	}
}

// No node asks a registry for an image that it has: the pull policy is that of the API server, which depends on the
// tag.
func TestManifests_PullPolicy(t *testing.T) {
	c := requireCluster(t)
	namespace := c.namespace(t, "privileged")
	for name, all := range everything(t) {
		for _, pod := range pods(all) {
			s := c.run(t, dump(t, pod), "create", "--dry-run=server", "-n", namespace, "-f", "-",
				"-o", "jsonpath={.spec.containers[*].imagePullPolicy}")
			require.NoError(t, s.failed, s.err)
			require.Equal(t, "IfNotPresent", s.out, "%s: %s", name, pod.name())
		}
	}
}

// The same server refuses broken manifests, so accepting one means something. An object is an overlay, a kind and a
// name; a Pod is that of the workload.
func TestManifests_Refused(t *testing.T) {
	c := requireCluster(t)
	namespace := c.namespace(t, "restricted")
	const (
		deployment = "postgres/Deployment/brokerage"
		stateful   = "embedded/StatefulSet/brokerage"
		pod        = "embedded/Pod/brokerage"
	)
	for name, v := range map[string]struct{ object, from, to, says string }{
		"UnknownField": {deployment, "minReadySeconds:", "minReadySecond:", "minReadySecond"},
		"UnknownProbe": {deployment, "livenessProbe:", "aliveProbe:", "aliveProbe"},
		"WrongType":    {deployment, "minReadySeconds: 3", "minReadySeconds: soon", "minReadySeconds"},
		"OtherLabels": {deployment,
			"app.kubernetes.io/component: service\n        app.kubernetes.io/managed-by",
			"app.kubernetes.io/component: other\n        app.kubernetes.io/managed-by", "selector"},
		"NoSuchKind": {deployment, "apiVersion: apps/v1", "apiVersion: apps/v1beta1", "no matches for kind"},
		"GracelessSleep": {deployment,
			"terminationGracePeriodSeconds: 45", "terminationGracePeriodSeconds: 3", "sleep"},
		"LimitsBelow":  {stateful, "memory: 512Mi", "memory: 128Mi", "must be less than or equal to memory limit"},
		"NoSuchVolume": {pod, "/tmp\n      name: tmp", "/tmp\n      name: temp", "temp"},
		"MinAboveMax": {"postgres/HorizontalPodAutoscaler/brokerage",
			"minReplicas: 3", "minReplicas: 30", "minReplicas"},
		"BothBudgets": {"postgres/PodDisruptionBudget/brokerage",
			"maxUnavailable: 1", "maxUnavailable: 1\n  minAvailable: 1", "cannot be both set"},
		"NoSchedule":       {"embedded/CronJob/brokerage-backup", "17 3 * * *", "17 25 * * *", "schedule"},
		"NoPolicyType":     {"embedded/NetworkPolicy/default-deny", "Egress", "Outgress", "policyTypes"},
		"JobThatAlwaysRun": {"load/Job/brokerage-load", "restartPolicy: OnFailure", "restartPolicy: Always", "restartPolicy"},
		"Root":             {pod, "runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"},
		"RootByNumber":     {pod, "runAsUser: 65532", "runAsUser: 0", "runAsUser"},
		"Escalation": {pod,
			"allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "allowPrivilegeEscalation"},
		"Privileged":    {pod, "allowPrivilegeEscalation: false", "privileged: true", "privileged"},
		"Capabilities":  {pod, "drop:", "add:", "capabilities"},
		"AnySystemCall": {pod, "type: RuntimeDefault", "type: Unconfined", "seccompProfile"},
		"FilesOfTheNode": {pod,
			"emptyDir:", "hostPath:\n      path: /etc\n    emptyDir:", "may not specify more than 1 volume type"},
		"NetworkOfTheNode": {pod,
			"enableServiceLinks: false", "enableServiceLinks: false\n  hostNetwork: true", "host namespaces"},
	} {
		t.Run(name, func(t *testing.T) {
			parts := strings.Split(v.object, "/")
			all := render(t, "overlays/"+parts[0])
			if parts[1] == "Pod" {
				all = pods([]object{service(t, all)})
				parts[2] += "-0"
			}
			whole := dump(t, find(t, all, parts[1], parts[2]))
			require.Contains(t, whole, v.from) // unchanged, it is accepted: see the test above
			s := c.offered(t, namespace, strings.ReplaceAll(whole, v.from, v.to))
			require.Error(t, s.failed)
			require.Contains(t, s.err, v.says)
		})
	}
}
