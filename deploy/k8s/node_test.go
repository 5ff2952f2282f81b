package k8s_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

// Need of the tests on a real node: images called brokerage:v1 and brokerage:v2,
// and a folder of that node, NODE_VOLUMES, in which volumes can be made, which is
// this machine. deploy/k8s/on-node makes all of it and runs them.
const needNode = "kubenode"

// patience is how long anything may take on a node that is shared with others.
const patience = 5 * time.Minute

// node is a namespace on a real node.
type node struct {
	*cluster

	namespace string
	volumes   string // folder
	token     string
}

func requireNode(t testing.TB) *node {
	t.Helper()
	volumes := os.Getenv("NODE_VOLUMES")
	if volumes == "" || !required(needNode) {
		testenv.Missing(t, needNode, "a node takes minutes: deploy/k8s/on-node makes one")
	}
	c := requireCluster(t)
	n := &node{cluster: c, namespace: c.namespace(t, "restricted")}
	n.volumes = filepath.Join(volumes, n.namespace)
	require.NoError(t, os.MkdirAll(n.volumes, 0o755))
	file := filepath.Join(n.volumes, "tokens")
	var err error
	n.token, err = access.Add(file, access.Client{Name: "test", Scopes: []access.Scope{access.Read, access.Trade, access.Admin}})
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s\n%s", n.run(t, "", "get", "pods,jobs,pvc,events", "-n", n.namespace).out, n.logs(t))
		}
	})
	return n
}

func (n *node) kube(t testing.TB, args ...string) string {
	t.Helper()
	return n.must(t, "", append([]string{"-n", n.namespace}, args...)...)
}

func (n *node) logs(t testing.TB) string {
	t.Helper()
	return n.run(t, "", "logs", "-n", n.namespace, "-l", "app.kubernetes.io/part-of=brokerage", "--tail=20", "--prefix", "--all-containers").out
}

// volume makes a volume for a claim: the node has none that come by themselves.
func (n *node) volume(t testing.TB, claim string) (folder string) {
	t.Helper()
	folder = filepath.Join(n.volumes, claim)
	require.NoError(t, os.MkdirAll(folder, 0o777))
	require.NoError(t, os.Chmod(folder, 0o777)) //nolint:gosec // for pods of any user; fsGroup leaves a hostPath alone
	name := n.namespace + "-" + claim
	n.must(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":%q},"spec":{"capacity":{"storage":"50Gi"},
		"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain","hostPath":{"path":%q},"claimRef":{"namespace":%q,"name":%q}}}`,
		name, folder, n.namespace, claim), "apply", "--server-side", "-f", "-")
	t.Cleanup(func() { n.run(t, "", "delete", "pv", name, "--wait=false") })
	return folder
}

// smaller is for a node of two processors, which have to do for all.
const smaller = `patches:
  - target: {group: apps, labelSelector: app.kubernetes.io/part-of=brokerage}
    patch: |
      - {op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 100m}
  - target: {group: batch, kind: Job}
    patch: |
      - {op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 100m}
  - target: {kind: HorizontalPodAutoscaler}
    patch: |
      - {op: replace, path: /spec/maxReplicas, value: 3}
`

// apply applies an overlay with one of the two images.
func (n *node) apply(t testing.TB, overlay, tag, more string) {
	t.Helper()
	dir := variant(t, "resources: [%[1]s/overlays/"+overlay+"]\nimages: [{name: brokerage, newTag: "+tag+"}]\n"+smaller+more)
	n.kube(t, "apply", "--server-side", "--force-conflicts", "-k", dir)
}

// secret makes or replaces a Secret.
func (n *node) secret(t testing.TB, name string, values map[string]string) {
	t.Helper()
	out, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name}, "stringData": values})
	require.NoError(t, err)
	n.must(t, string(out), "apply", "-n", n.namespace, "-f", "-")
}

func (n *node) tokens(t testing.TB) {
	t.Helper()
	lines, err := os.ReadFile(filepath.Join(n.volumes, "tokens"))
	require.NoError(t, err)
	n.secret(t, "brokerage-tokens", map[string]string{"tokens": string(lines)})
}

func eventually(t testing.TB, ok func() bool, format string, args ...any) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(500 * time.Millisecond) {
		if time.Now().After(deadline) {
			require.Failf(t, "it did not come to pass", format, args...)
		}
	}
}

func (n *node) ready(t testing.TB, what string) {
	t.Helper()
	n.kube(t, "rollout", "status", what, "--timeout="+patience.String())
}

// The embedded overlay runs, waits for its Secret, and keeps its data through the
// death of its pod; its backup is made.
func TestNode_Embedded(t *testing.T) {
	n := requireNode(t)
	n.volume(t, "data-brokerage-0")
	backups := n.volume(t, "brokerage-backup")
	n.apply(t, "embedded", "v1", "")

	// Without its Secret the pod does not begin, and says why.
	eventually(t, func() bool {
		return strings.Contains(n.kube(t, "get", "events", "-o", "jsonpath={.items[*].message}"), `secret "brokerage-tokens" not found`)
	}, "the event says what is missing")
	n.tokens(t)
	began := time.Now()
	n.ready(t, "statefulset/brokerage")
	t.Logf("ready %s after the Secret was there", time.Since(began).Round(time.Second))

	const order = `<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="4"/>`
	n.mustRequest(t, "PUT", "/v1/orders/103282/status", order)
	before := n.kube(t, "get", "pod", "brokerage-0", "-o", "jsonpath={.metadata.uid}")
	n.kube(t, "delete", "pod", "brokerage-0")
	n.ready(t, "statefulset/brokerage")
	require.NotEqual(t, before, n.kube(t, "get", "pod", "brokerage-0", "-o", "jsonpath={.metadata.uid}"))
	require.Contains(t, n.mustRequest(t, "GET", "/v1/orders/103282", ""), `Stat="4"`)

	n.kube(t, "create", "job", "--from=cronjob/brokerage-backup", "backup-now")
	n.kube(t, "wait", "--for=condition=complete", "--timeout="+patience.String(), "job/backup-now")
	info, err := os.Stat(filepath.Join(backups, "brokerage.bak"))
	require.NoError(t, err)
	require.Positive(t, info.Size())
}

// passwords of the two roles and the superuser.
const ownerPassword, servicePassword, superPassword = "owner-secret", "service-secret", "super-secret"

func (n *node) databaseSecrets(t testing.TB) {
	t.Helper()
	n.secret(t, "brokerage-postgres", map[string]string{"password": superPassword, "owner-password": ownerPassword, "service-password": servicePassword})
	n.secret(t, "brokerage-database-owner", map[string]string{"pgpass": "*:*:*:brokerage_owner:" + ownerPassword + "\n"})
	n.secret(t, "brokerage-database", map[string]string{"pgpass": "*:*:*:brokerage_service:" + servicePassword + "\n"})
	n.secret(t, "brokerage-loadtest", map[string]string{"token": n.token})
}

// loadTest starts k6 in the cluster; what it gives waits for the result.
func (n *node) loadTest(t testing.TB, name, results string, settings ...string) (result func() workload.Run) {
	t.Helper()
	literals := "      - USERS=8\n      - RAMP=5s\n"
	for _, s := range settings {
		literals += "      - " + s + "\n"
	}
	dir := variant(t, `resources: [%[1]s/overlays/loadtest]
configMapGenerator:
  - name: loadtest
    behavior: merge
    literals:
`+literals+smaller+`  - target: {kind: Pod, name: results}
    patch: "{$patch: delete, apiVersion: v1, kind: Pod, metadata: {name: results}}"
`)
	n.run(t, "", "delete", "job", "loadtest", "-n", n.namespace, "--wait")
	n.kube(t, "apply", "--server-side", "--force-conflicts", "-k", dir)
	eventually(t, func() bool { return n.kube(t, "get", "job", "loadtest", "-o", "jsonpath={.status.ready}") == "1" }, "k6 runs")
	pod := strings.Fields(n.kube(t, "get", "pods", "-l", "app.kubernetes.io/component=loadtest", "-o", "jsonpath={.items[*].metadata.name}"))
	require.Len(t, pod, 1, name)
	return func() (run workload.Run) {
		file := filepath.Join(results, pod[0], "k6.json")
		eventually(t, func() bool {
			text, err := os.ReadFile(file)
			return err == nil && json.Unmarshal(text, &run) == nil
		}, "k6 writes %s", file)
		t.Logf("%s: %d transactions, %.0f/s, unexpected %v", name, run.Total.Count, run.TPS, run.Total.Unexpected)
		return run
	}
}

// Three replicas on PostgreSQL: it waits for a wrong password to be mended, serves
// all 17 transactions, and no client notices an update, its undoing, or the drain
// of the node.
func TestNode_Postgres(t *testing.T) {
	n := requireNode(t)
	n.volume(t, "data-brokerage-postgres-0")
	results := n.volume(t, "results")
	n.tokens(t)
	n.databaseSecrets(t)
	n.secret(t, "brokerage-database", map[string]string{"pgpass": "*:*:*:brokerage_service:wrong\n"})
	n.apply(t, "postgres-dev", "v1", "")
	n.ready(t, "statefulset/brokerage-postgres")
	n.kube(t, "wait", "--for=condition=complete", "--timeout="+patience.String(), "job/brokerage-migrate")

	// The password is wrong: one line says so, nothing is restarted, and when it is mended all are ready.
	eventually(t, func() bool { return strings.Contains(n.logs(t), "password authentication failed") }, "the log says why")
	require.Empty(t, n.kube(t, "get", "deployment", "brokerage", "-o", "jsonpath={.status.readyReplicas}"))
	n.databaseSecrets(t)
	mended := time.Now()
	eventually(t, func() bool {
		return n.kube(t, "get", "deployment", "brokerage", "-o", "jsonpath={.status.readyReplicas}") == "3"
	}, "three are ready")
	t.Logf("three ready %s after the password was mended", time.Since(mended).Round(time.Second))
	require.Equal(t, "0 0 0", n.kube(t, "get", "pods", "-l", "app.kubernetes.io/component=service", "-o", "jsonpath={.items[*].status.containerStatuses[0].restartCount}"))

	n.apply(t, "load", "v1", "configMapGenerator: [{name: brokerage-load, behavior: merge, literals: [SCALE=tiny]}]\n")
	n.kube(t, "wait", "--for=condition=complete", "--timeout="+patience.String(), "job/brokerage-load")

	run := n.loadTest(t, "rolling update and undo", results, "DURATION=75s")
	n.kube(t, "set", "image", "deployment/brokerage", "brokerage=brokerage:v2")
	n.ready(t, "deployment/brokerage")
	n.kube(t, "rollout", "undo", "deployment/brokerage")
	n.ready(t, "deployment/brokerage")
	result := run()
	require.Empty(t, result.Total.Unexpected)
	require.Len(t, result.Transactions, 17)
	for _, row := range result.Transactions {
		require.Positive(t, row.Count, row.Name)
	}

	t.Run("Drain", func(t *testing.T) {
		run := n.loadTest(t, "drain", results, "DURATION=30s")
		name := strings.TrimSpace(n.must(t, "", "get", "nodes", "-o", "jsonpath={.items[0].metadata.name}"))
		defer n.must(t, "", "uncordon", name)
		s := n.run(t, "", "drain", name, "--pod-selector=app.kubernetes.io/component=service", "--delete-emptydir-data", "--force", "--timeout=25s")
		require.Error(t, s.failed) // there is no second node for the replacements
		require.Contains(t, s.err, "disruption budget")
		require.Equal(t, "2", n.kube(t, "get", "deployment", "brokerage", "-o", "jsonpath={.status.readyReplicas}"))
		n.must(t, "", "uncordon", name)
		require.Empty(t, run().Total.Unexpected)
	})

	t.Run("Prometheus", n.discovered)
	t.Run("Autoscaler", func(t *testing.T) {
		n.ready(t, "deployment/brokerage")
		replicas := func() string {
			return n.kube(t, "get", "deployment", "brokerage", "-o", "jsonpath={.status.readyReplicas}")
		}
		n.kube(t, "patch", "hpa", "brokerage", "--type=merge", "-p",
			`{"spec":{"maxReplicas":5,"behavior":{"scaleDown":{"stabilizationWindowSeconds":15,"policies":[{"type":"Pods","value":1,"periodSeconds":15}]}}}}`)
		run := n.loadTest(t, "scaling out and in", results, "DURATION=90s")
		eventually(t, func() bool { return replicas() == "5" }, "it scales out")
		require.Empty(t, run().Total.Unexpected)
		eventually(t, func() bool { return replicas() == "3" }, "it scales in")
	})

	t.Run("DatabaseDies", func(t *testing.T) {
		n.ready(t, "deployment/brokerage")
		run := n.loadTest(t, "the database dies", results, "DURATION=60s", "P99=60000")
		before := n.kube(t, "get", "pods", "-l", "app.kubernetes.io/component=service", "-o", "jsonpath={.items[*].status.containerStatuses[0].restartCount}")
		n.kube(t, "delete", "pod", "brokerage-postgres-0", "--grace-period=0", "--force")
		killed := time.Now()
		n.ready(t, "statefulset/brokerage-postgres")
		back := time.Now()
		n.ready(t, "deployment/brokerage")
		t.Logf("the database was back after %s, the service ready %s later", back.Sub(killed).Round(time.Second), time.Since(back).Round(time.Second))
		result := run()
		// 503, and 503 that k6 did not look into: every request was answered, and none wrongly.
		for reason := range result.Total.Unexpected {
			require.Contains(t, []string{"503 unavailable", "503 outcome-unknown", "503 overloaded", "other"}, reason, "%v", result.Total.Unexpected)
		}
		require.Equal(t, before, n.kube(t, "get", "pods", "-l", "app.kubernetes.io/component=service", "-o", "jsonpath={.items[*].status.containerStatuses[0].restartCount}"))
	})
}
