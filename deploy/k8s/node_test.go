package k8s_test

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/result"
	"brokerage/internal/testenv"
)

// The need of tests on a real node: the image that the manifests name, another one whose tag has "-next" in
// addition, and NODE_VOLUMES, a folder for volumes on that node, which must be this machine. deploy/k8s/on-node
// makes all of it and runs the tests.
const needNode = "kubenode"

// patience is how long a test waits for anything, on a node that other work may share.
const patience = 5 * time.Minute

// node is a namespace on a real node.
type node struct {
	*cluster

	namespace string
	volumes   string // folder
	token     string
}

// requireNode returns a new namespace with volumes for claims.
func requireNode(t testing.TB, claims ...string) *node {
	t.Helper()
	volumes := os.Getenv("NODE_VOLUMES")
	if volumes == "" || !testenv.Required(needNode) {
		testenv.Missing(t, needNode, "a node takes minutes: deploy/k8s/on-node makes one")
	}
	c := requireCluster(t)
	n := &node{cluster: c, namespace: c.namespace(t, "restricted")}
	n.volumes = filepath.Join(volumes, n.namespace)
	require.NoError(t, os.MkdirAll(n.volumes, 0o755))
	file := filepath.Join(n.volumes, "tokens")
	var err error
	n.token, err = access.Add(file, access.Client{
		Name:   "test",
		Scopes: []access.Scope{access.Read, access.Trade, access.Admin},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s\n%s", n.run(t, "", "get", "pods,jobs,pvc,events", "-n", n.namespace).out, n.logs(t))
		}
	})
	for _, claim := range claims {
		n.volume(t, claim)
	}
	return n
}

func (n *node) kube(t testing.TB, args ...string) string {
	t.Helper()
	return n.must(t, "", append([]string{"-n", n.namespace}, args...)...)
}

func (n *node) logs(t testing.TB) string {
	t.Helper()
	return n.run(t, "", "logs", "-n", n.namespace, "-l", "app.kubernetes.io/part-of=brokerage",
		"--tail=20", "--prefix", "--all-containers").out
}

// volume creates a volume for a claim: the node has no provisioner.
func (n *node) volume(t testing.TB, claim string) (folder string) {
	t.Helper()
	folder = filepath.Join(n.volumes, claim)
	require.NoError(t, os.MkdirAll(folder, 0o777))
	require.NoError(t, os.Chmod(folder, 0o777)) //nolint:gosec // for pods of any user; fsGroup leaves a hostPath alone
	name := n.namespace + "-" + claim
	n.must(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":%q},"spec":{
		"capacity":{"storage":"50Gi"},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain",
		"hostPath":{"path":%q},"claimRef":{"namespace":%q,"name":%q}}}`,
		name, folder, n.namespace, claim), "apply", "--server-side", "-f", "-")
	t.Cleanup(func() { n.run(t, "", "delete", "pv", name, "--wait=false") })
	return folder
}

// smaller fits everything onto a node of two processors.
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

// tiny makes the load a small one.
const tiny = "configMapGenerator: [{name: brokerage-load, behavior: merge, literals: [SCALE=tiny]}]\n"

// apply applies a folder.
func (n *node) apply(t testing.TB, folder, more string) {
	t.Helper()
	dir := variant(t, "resources: [%[1]s/"+folder+"]\n"+smaller+more)
	n.kube(t, "apply", "--server-side", "--force-conflicts", "-k", dir)
}

// secret creates or replaces a Secret.
func (n *node) secret(t testing.TB, name string, values map[string]string) {
	t.Helper()
	out, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"name": name},
		"stringData": values,
	})
	require.NoError(t, err)
	n.must(t, string(out), "apply", "-n", n.namespace, "-f", "-")
}

func (n *node) tokens(t testing.TB) {
	t.Helper()
	n.secret(t, "brokerage-tokens", map[string]string{"tokens": testenv.Text(t, filepath.Join(n.volumes, "tokens"))})
}

func eventually(t testing.TB, ok func() bool, format string, args ...any) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(500 * time.Millisecond) {
		if time.Now().After(deadline) {
			require.Failf(t, "timed out", format, args...)
		}
	}
}

func (n *node) ready(t testing.TB, what string) {
	t.Helper()
	n.kube(t, "rollout", "status", what, "--timeout="+patience.String())
}

// replicas returns how many instances are ready, empty if none is.
func (n *node) replicas(t testing.TB) string {
	t.Helper()
	return n.kube(t, "get", "deployment", "brokerage", "-o", "jsonpath={.status.readyReplicas}")
}

// restarts returns how often each pod of a component was restarted.
func (n *node) restarts(t testing.TB, component string) string {
	t.Helper()
	return n.kube(t, "get", "pods", "-l", "app.kubernetes.io/component="+component,
		"-o", "jsonpath={.items[*].status.containerStatuses[0].restartCount}")
}

// The embedded overlay waits for its Secret and says so, and keeps its data when its pod is deleted.
func TestNode_Embedded(t *testing.T) {
	n := requireNode(t, "data-brokerage-0", "brokerage-backup")
	n.apply(t, "jobs/load/embedded", tiny)
	require.Equal(t, "Complete", n.ended(t, "brokerage-load"))
	n.apply(t, "overlays/embedded", "")
	eventually(t, func() bool {
		return strings.Contains(n.kube(t, "get", "events", "-o", "jsonpath={.items[*].message}"),
			`secret "brokerage-tokens" not found`)
	}, "the event says what is missing")
	n.tokens(t)
	n.ready(t, "statefulset/brokerage")
	n.mustRequest(t, "PUT", orderPath+"/status", backedUp)
	n.kube(t, "delete", "pod", "brokerage-0")
	n.ready(t, "statefulset/brokerage")
	require.Contains(t, n.mustRequest(t, "GET", orderPath, ""), `Stat="4"`)
}

// Four pods of an Indexed Job share one load; their results are merged to that of the whole.
func TestNode_Parts(t *testing.T) {
	n := requireNode(t, "data-brokerage-0", "brokerage-backup")
	results := n.volume(t, "results")
	n.tokens(t)
	n.secret(t, "brokerage-loadtest", map[string]string{"token": n.token})
	n.apply(t, "jobs/load/embedded", tiny)
	require.Equal(t, "Complete", n.ended(t, "brokerage-load"))
	n.apply(t, "overlays/embedded", "")
	n.ready(t, "statefulset/brokerage")
	start := time.Now().Add(90 * time.Second).UTC().Truncate(time.Second)
	n.apply(t, "overlays/loadtest/drive", `configMapGenerator:
  - name: drive
    behavior: merge
    literals: [USERS=10, RAMP=10s, DURATION=20s, START_AT=`+start.Format(time.RFC3339)+`]
`)
	n.kube(t, "wait", "--for=condition=complete", "--timeout="+patience.String(), "job/drive")
	files, err := filepath.Glob(filepath.Join(results, "part-*.json"))
	require.NoError(t, err)
	var parts []*result.Run
	hosts, count := make(map[string]bool), int64(0)
	for _, file := range files {
		part := new(result.Run)
		require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, file)), part))
		parts, hosts[part.Part.Host], count = append(parts, part), true, count+part.Total.Count
	}
	merged, err := result.Merge(files, parts)
	require.NoError(t, err, n.logs(t))
	require.Len(t, hosts, 4, "a pod for each part")
	require.Equal(t, 10, merged.Model.Users)
	require.Equal(t, count, merged.Total.Count)
	require.Equal(t, result.Complete, merged.Ended)
	require.Equal(t, start, merged.Parts[0].StartAt)
	require.Empty(t, merged.Total.Unexpected)
	t.Logf("%d transactions, %.0f/s, %v", merged.Total.Count, merged.TPS, merged.Validity)

	// What docs/kubernetes.md copies is what they wrote.
	n.apply(t, "jobs/results", "")
	n.kube(t, "wait", "--for=jsonpath={.status.ready}=1", "--timeout="+patience.String(), "job/results")
	content := n.kube(t, "exec", "job/results", "--", "tar", "-c", "-C", "/results", ".")
	archive := tar.NewReader(strings.NewReader(content))
	copied := 0
	for header, err := archive.Next(); !errors.Is(err, io.EOF); header, err = archive.Next() {
		require.NoError(t, err)
		if header.Typeflag == tar.TypeReg {
			text, err := io.ReadAll(archive)
			require.NoError(t, err)
			require.Equal(t, testenv.Text(t, filepath.Join(results, header.Name)), string(text))
			copied++
		}
	}
	require.Equal(t, len(files), copied)
}
