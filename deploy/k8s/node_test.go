package k8s_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/testenv"
)

// needNode is what tests on a real node need: the image that the manifests name, another one whose tag has "-next" in
// addition, and NODE_VOLUMES, a folder for volumes on that node, which must be this machine. deploy/k8s/on-node makes
// all of it and runs the tests.
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
	n := &node{cluster: c, namespace: c.namespace(t)}
	n.volumes = filepath.Join(volumes, n.namespace)
	require.NoError(t, os.MkdirAll(n.volumes, 0o755))
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

// folder makes the folder of a claim's volume.
func (n *node) folder(t testing.TB, claim string) (path string) {
	t.Helper()
	path = filepath.Join(n.volumes, claim)
	require.NoError(t, os.MkdirAll(path, 0o777))
	require.NoError(t, os.Chmod(path, 0o777)) //nolint:gosec // for pods of any user; fsGroup leaves a hostPath alone
	return path
}

// volume creates a volume for a claim: the node has no provisioner.
func (n *node) volume(t testing.TB, claim string) (folder string) {
	t.Helper()
	folder = n.folder(t, claim)
	name := n.namespace + "-" + claim
	n.must(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":%q},"spec":{
		"capacity":{"storage":"50Gi"},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain",
		"hostPath":{"path":%q},"claimRef":{"namespace":%q,"name":%q}}}`,
		name, folder, n.namespace, claim), "apply", "--server-side", "-f", "-")
	t.Cleanup(func() { n.run(t, "", "delete", "pv", name, "--wait=false") })
	return folder
}

// smaller has patches with which everything fits onto a node of two processors.
const smaller = `patches:
  - target: {group: apps, labelSelector: app.kubernetes.io/part-of=brokerage}
    patch: |
      - {op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 100m}
  - target: {group: batch, kind: Job}
    patch: |
      - {op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 100m}
`

// tiny makes the load a small one.
const tiny = "configMapGenerator: [{name: brokerage-load, behavior: merge, literals: [SCALE=tiny]}]\n"

// apply applies a folder with the patches of smaller. The text more follows them in the kustomization.
func (n *node) apply(t testing.TB, folder, more string) {
	t.Helper()
	dir := variant(t, "resources: [%[1]s/"+folder+"]\n"+smaller+more)
	n.kube(t, "apply", "--server-side", "--force-conflicts", "-k", dir)
}

// pgpass replaces the password file of the service.
func (n *node) pgpass(t testing.TB, line string) {
	t.Helper()
	patch := fmt.Sprintf(`{"stringData":{"pgpass":%q}}`, line)
	n.kube(t, "patch", "secret", "brokerage-database", "--type=merge", "-p", patch)
}

// secrets makes the Secrets that the namespace lacks, as install does.
func (n *node) secrets(t testing.TB) {
	t.Helper()
	s := n.script(t, "secrets", "--namespace", n.namespace)
	require.NoError(t, s.failed, s.err)
	n.must(t, s.out, "apply", "-n", n.namespace, "-f", "-")
	n.token = n.stored(t, n.namespace)["brokerage-loadtest"]["token"]
}

// mustRequest sends a request to the Service, which this machine can reach because it is the node.
func (n *node) mustRequest(t testing.TB, method, path, body string) string {
	t.Helper()
	address := n.kube(t, "get", "service", "brokerage", "-o", "jsonpath={.spec.clusterIP}")
	// The API reports that a pod is ready a little before the Service passes requests to it.
	s := call(exec.CommandContext(t.Context(), testenv.Command(t, "curl"), "-sSf", "--noproxy", "*", "--retry", "60",
		"--retry-delay", "1", "--retry-connrefused", "-X", method, "-H", "Authorization: Bearer "+n.token,
		"-H", "Content-Type: application/xml", "-d", body, "http://"+address+":8080"+path))
	require.NoError(t, s.failed, "%s %s: %s", method, path, s.err)
	return s.out
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

// Four pods of an Indexed Job share one load; their results are merged into one.
func TestNode_Parts(t *testing.T) {
	n := requireNode(t, "data-brokerage-0", "brokerage-backup")
	results := n.volume(t, "results")
	n.secrets(t)
	n.apply(t, "jobs/load/embedded", tiny)
	n.ends(t, "brokerage-load", "complete")
	n.apply(t, "overlays/embedded", "")
	n.ready(t, "statefulset/brokerage")
	start := time.Now().Add(90 * time.Second).UTC().Truncate(time.Second)
	n.apply(t, "overlays/loadtest/drive", `configMapGenerator:
  - name: drive
    behavior: merge
    literals: [USERS=10, RAMP=10s, DURATION=20s, START_AT=`+start.Format(time.RFC3339)+`]
`)
	n.ends(t, "drive", "complete")
	files, err := filepath.Glob(filepath.Join(results, "part-*.json"))
	require.NoError(t, err)
	require.Len(t, files, 4, "a file of each pod")
	var parts []*result.Run
	for _, file := range files {
		part := new(result.Run)
		require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, file)), part))
		parts = append(parts, part)
	}
	merged, err := result.Merge(files, parts)
	require.NoError(t, err, n.logs(t))
	require.Equal(t, 10, merged.Model.Users)
	require.Empty(t, merged.Total.Unexpected)
}
