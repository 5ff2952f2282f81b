package k8s_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The names of two nodes: of deploy/k8s/on-node, and of deploy/k8s/second-node.
const first, second = "node1", "node2"

// secondNode adds a node to the cluster for the rest of the test.
func (n *node) secondNode(t testing.TB) {
	t.Helper()
	require.NoError(t, script(os.Environ(), patience, "./second-node"))
	t.Cleanup(func() {
		n.run(t, "", "delete", "node", second)
		if err := script(os.Environ(), time.Minute, "./second-node", "down"); err != nil {
			t.Error(err)
		}
	})
}

// nodesOf returns the nodes of the running pods of a component.
func (n *node) nodesOf(t testing.TB, component string) []string {
	t.Helper()
	return strings.Fields(n.kube(t, "get", "pods", "-l", "app.kubernetes.io/component="+component,
		"--field-selector=status.phase=Running", "-o", "jsonpath={.items[*].spec.nodeName}"))
}

// drain drains a node as an operator would, with no more than what temporary files need.
func (n *node) drain(t testing.TB, name string) {
	t.Helper()
	n.must(t, "", "drain", name, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout="+patience.String())
}

// On two nodes, instances are on both; a drain moves those of one to the other under load, and no client notices.
// The pod that reads results moves too.
func TestNode_Two(t *testing.T) {
	n := requireNode(t)
	n.volume(t, "data-brokerage-postgres-0")
	results := n.volume(t, "results")
	n.tokens(t)
	n.databaseSecrets(t)
	n.secondNode(t)
	n.must(t, "", "cordon", second) // the database is on the first node, and stays there
	n.apply(t, "postgres-dev", "")
	n.ready(t, "deployment/brokerage")
	eventually(t, func() bool { return n.replicas(t) == "3" }, "three are ready")
	n.apply(t, "load", "configMapGenerator: [{name: brokerage-load, behavior: merge, literals: [SCALE=tiny]}]\n")
	n.kube(t, "wait", "--for=condition=complete", "--timeout="+patience.String(), "job/brokerage-load")

	n.must(t, "", "uncordon", second)
	n.kube(t, "rollout", "restart", "deployment/brokerage")
	n.ready(t, "deployment/brokerage")
	eventually(t, func() bool { return len(n.nodesOf(t, "service")) == 3 }, "three are left")
	require.Contains(t, n.nodesOf(t, "service"), first)
	require.Contains(t, n.nodesOf(t, "service"), second)

	n.must(t, "", "cordon", second) // k6 is on the first node, where it can end
	run := n.loadTest(t, "drain of one of two nodes", results, "DURATION=60s")
	n.drain(t, second)
	n.ready(t, "deployment/brokerage")
	require.Equal(t, []string{first}, slices.Compact(slices.Sorted(slices.Values(n.nodesOf(t, "service")))))
	require.Empty(t, run().Total.Unexpected)
	n.must(t, "", "uncordon", second)

	n.kube(t, "wait", "--for=condition=complete", "--timeout="+patience.String(), "job/loadtest")
	n.must(t, "", "cordon", first)
	n.apply(t, "results", "")
	n.kube(t, "wait", "--for=jsonpath={.status.ready}=1", "--timeout="+patience.String(), "job/results")
	require.Equal(t, []string{second}, n.nodesOf(t, "results"))
	n.must(t, "", "uncordon", first)
	n.drain(t, second)
	eventually(t, func() bool { return slices.Equal(n.nodesOf(t, "results"), []string{first}) }, "the reader has moved")
	require.Contains(t, n.kube(t, "exec", "job/results", "--", "tar", "-c", "-C", "/results", "."), "k6.json")
}
