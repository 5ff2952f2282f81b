package k8s_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
)

// loadTest starts k6 in the cluster; the function that it returns waits for the result.
func (n *node) loadTest(t testing.TB, name, results, duration string) (ended func() result.Run) {
	t.Helper()
	dir := variant(t, `resources: [%[1]s/overlays/loadtest/k6]
configMapGenerator:
  - name: loadtest
    behavior: merge
    literals: [USERS=8, RAMP=5s, DURATION=`+duration+`]
`+smaller)
	n.run(t, "", "delete", "job", "loadtest", "-n", n.namespace, "--wait")
	n.kube(t, "apply", "--server-side", "--force-conflicts", "-k", dir)
	eventually(t, func() bool {
		return n.kube(t, "get", "job", "loadtest", "-o", "jsonpath={.status.ready}") == "1"
	}, "k6 runs")
	pod := strings.Fields(n.kube(t, "get", "pods", "-l", "app.kubernetes.io/component=loadtest",
		"-o", "jsonpath={.items[*].metadata.name}"))
	require.Len(t, pod, 1, name)
	return func() (run result.Run) {
		file := filepath.Join(results, pod[0], "k6.json.gz")
		eventually(t, func() bool {
			text, err := os.ReadFile(file)
			read, isK6, unfinished := result.ReadK6(bytes.NewReader(text))
			if isK6 && err == nil && unfinished == nil {
				run = *read
			}
			return run.Ended != ""
		}, "k6 writes %s", file)
		return run
	}
}

// Three replicas on PostgreSQL wait for the database to start and for a wrong password to be corrected, and serve all
// 17 transactions. No client notices an update, a rollback, or a new password.
func TestNode_Postgres(t *testing.T) {
	n := requireNode(t, "data-brokerage-postgres-0")
	results := n.volume(t, "results")
	n.secrets(t)
	right := n.stored(t, n.namespace)["brokerage-database"]["pgpass"]
	n.pgpass(t, "*:*:*:brokerage_service:wrong")
	// There is no database: pods and the Job log that, and wait.
	n.apply(t, "overlays/postgres", "  - target: {kind: StatefulSet}\n"+
		"    patch: \"- {op: replace, path: /spec/replicas, value: 0}\"\n")
	eventually(t, func() bool { return strings.Count(n.logs(t), "waiting for the database") >= 4 }, "the log says why")
	n.apply(t, "overlays/postgres", "")
	n.ready(t, "statefulset/brokerage-postgres")
	n.ends(t, "brokerage-migrate", "complete")

	// The password is wrong: one line says so, nothing is restarted, and when it is corrected all become ready.
	eventually(t, func() bool { return strings.Contains(n.logs(t), "password authentication failed") }, "the log says why")
	n.pgpass(t, right)
	n.ready(t, "deployment/brokerage")
	require.Equal(t, "0 0 0", n.kube(t, "get", "pods", "-l", "app.kubernetes.io/component=service",
		"-o", "jsonpath={.items[*].status.containerStatuses[0].restartCount}"), "nothing is restarted")

	n.apply(t, "jobs/load/postgres", tiny)
	n.ends(t, "brokerage-load", "complete")

	run := n.loadTest(t, "rolling update and undo", results, "75s")
	image := n.kube(t, "get", "deployment", "brokerage", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
	n.kube(t, "set", "image", "deployment/brokerage", "brokerage="+image+"-next")
	n.ready(t, "deployment/brokerage")
	n.kube(t, "rollout", "undo", "deployment/brokerage")
	n.ready(t, "deployment/brokerage")
	ended := run()
	require.Empty(t, ended.Total.Unexpected)
	require.Len(t, ended.Transactions, 17)
	for _, row := range ended.Transactions {
		require.Positive(t, row.Count, row.Name)
	}

	// A new password under load: open connections keep working, and new ones do when the file has changed.
	run = n.loadTest(t, "rotated password", results, "120s")
	n.kube(t, "exec", "brokerage-postgres-0", "--", "psql", "-U", "postgres", "-h", "/var/run/postgresql", "-c",
		"ALTER ROLE brokerage_service PASSWORD 'rotated'")
	n.pgpass(t, "*:*:*:brokerage_service:rotated")
	require.Empty(t, run().Total.Unexpected)
	n.kube(t, "rollout", "restart", "deployment/brokerage")
	n.ready(t, "deployment/brokerage")
}
