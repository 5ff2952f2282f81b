package k8s_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// definitions are the kinds of others that manifests use, each as its own project defines it: a module, its file for
// a kind (plural), and the API group.
var definitions = []struct {
	module, file, group string
	kinds               []string
}{
	{"github.com/prometheus-operator/prometheus-operator@v0.85.0",
		"example/prometheus-operator-crd/monitoring.coreos.com_%s.yaml",
		"monitoring.coreos.com", []string{"servicemonitors", "prometheusrules"}},
	{"sigs.k8s.io/gateway-api@v1.4.1", "config/crd/standard/gateway.networking.k8s.io_%s.yaml",
		"gateway.networking.k8s.io", []string{"httproutes", "backendtlspolicies"}},
	{"github.com/cert-manager/cert-manager@v1.19.2", "deploy/crds/cert-manager.io_%s.yaml",
		"cert-manager.io", []string{"certificates"}},
	{"github.com/kedacore/keda/v2@v2.18.1", "config/crd/bases/keda.sh_%s.yaml", "keda.sh", []string{"scaledobjects"}},
	{"github.com/grafana/k6-operator@v1.1.0", "config/crd/bases/k6.io_%s.yaml", "k6.io", []string{"testruns"}},
}

// download returns the folder of a module, or why there is none.
func download(t testing.TB, module string) (dir string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir() // outside of any module
	out, err := cmd.Output()
	var answer struct{ Dir, Error string }
	require.NoError(t, json.Unmarshal(out, &answer), "%s: %v", module, err)
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", module, err, answer.Error)
	}
	return answer.Dir, nil
}

// define installs the definitions in the cluster. It returns the API groups whose module cannot be downloaded.
func define(t testing.TB, c *cluster) (unknown map[string]error) {
	t.Helper()
	unknown = make(map[string]error)
	for _, d := range definitions {
		dir, err := download(t, d.module)
		if err != nil {
			unknown[d.group] = err
			continue
		}
		for _, kind := range d.kinds {
			c.must(t, "", "apply", "--server-side", "-f", filepath.Join(dir, fmt.Sprintf(d.file, kind)))
			eventually(t, func() bool { // kubectl cannot wait for conditions while there are none yet
				return c.run(t, "", "wait", "--for=condition=established", "--timeout=5s", "crd",
					kind+"."+d.group).failed == nil
			}, "%s are served", kind)
		}
	}
	return unknown
}

// requireKinds skips a test of objects whose definitions cannot be downloaded.
func requireKinds(t testing.TB, unknown map[string]error, all []object) {
	t.Helper()
	for _, o := range all {
		group, _, _ := strings.Cut(text(o, "apiVersion"), "/")
		if err := unknown[group]; err != nil {
			testenv.Missing(t, group, err.Error())
		}
	}
}

// stateMetrics is the module with the documented metrics of kube-state-metrics.
const stateMetrics = "k8s.io/kube-state-metrics/v2@v2.15.0"

// The metrics of Kubernetes that the rules use exist, with the labels that they name.
func TestMonitoring_StateMetrics(t *testing.T) {
	if !testenv.Required(need) {
		testenv.Missing(t, need, "a module is downloaded: make test-k8s")
	}
	dir, err := download(t, stateMetrics)
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(dir, "docs", "metrics", "*", "*.md"))
	require.NoError(t, err)
	var documented string
	for _, page := range pages {
		documented += testenv.Text(t, page)
	}
	files, err := filepath.Glob("../observability/rules/*.yml")
	require.NoError(t, err)
	used := 0
	for _, file := range files {
		content := testenv.Text(t, file)
		for _, m := range regexp.MustCompile(`(kube_\w+)(?:\{([^}]*)\})?`).FindAllStringSubmatch(content, -1) {
			used++
			line := regexp.MustCompile(`(?m)^\| ` + m[1] + ` .*$`).FindString(documented)
			require.NotEmpty(t, line, m[1])
			for _, label := range regexp.MustCompile(`(\w+)=`).FindAllStringSubmatch(m[2], -1) {
				require.Contains(t, line, "`"+label[1]+"`", m[0])
			}
		}
	}
	require.Positive(t, used)
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
	unknown := define(t, c)
	restricted := c.namespace(t, "restricted")
	for name, all := range everything(t) {
		t.Run(name, func(t *testing.T) {
			requireKinds(t, unknown, all)
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

// The same server refuses broken manifests, so accepting one means something. An object is an overlay or a variant, a
// kind and a name; a Pod is that of the workload.
func TestManifests_Refused(t *testing.T) {
	c := requireCluster(t)
	unknown := define(t, c)
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
		"NoPolicyType":     {"embedded/NetworkPolicy/brokerage-default-deny", "Egress", "Outgress", "policyTypes"},
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
		"RouteOfHosts": {"gateway/HTTPRoute/brokerage", "hostnames:", "hosts:", "hosts"},
		"HostIsURL": {"gateway/HTTPRoute/brokerage",
			"- brokerage.example.com", "- https://brokerage.example.com", "hostnames"},
		"NoAuthority": {"gateway-tls/BackendTLSPolicy/brokerage", "caCertificateRefs:", "authorities:", "authorities"},
		"HostIsName": {"gateway-tls/BackendTLSPolicy/brokerage",
			"hostname: brokerage", "hostname: The brokerage", "hostname"},
		"KeyOfNoKind":    {"gateway-tls/Certificate/brokerage-tls", "algorithm: ECDSA", "algorithm: DSA", "algorithm"},
		"BoundsOfAnHPA":  {"keda/ScaledObject/brokerage", "minReplicaCount:", "minReplicas:", "minReplicas"},
		"TriggersAsText": {"keda/ScaledObject/brokerage", "threshold: \"32\"", "threshold: 32", "threshold"},
		"PartsAsText":    {"loadtest-operator/TestRun/loadtest", "parallelism: 2", "parallelism: two", "parallelism"},
		"OtherArguments": {"loadtest-operator/TestRun/loadtest", "arguments:", "argument:", "argument"},
	} {
		t.Run(name, func(t *testing.T) {
			parts := strings.Split(v.object, "/")
			all := everything(t)[parts[0]]
			requireKinds(t, unknown, all)
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
