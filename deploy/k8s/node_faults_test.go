package k8s_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
)

// kill kills the processes of a pod without warning, as a power failure would. This machine is the node.
func (n *node) kill(t testing.TB, pod string) {
	t.Helper()
	group := "pod" + n.kube(t, "get", "pod", pod, "-o", "jsonpath={.metadata.uid}")
	processes, err := filepath.Glob("/proc/[0-9]*/cgroup")
	require.NoError(t, err)
	killed := 0
	for _, file := range processes {
		dir := filepath.Dir(file)
		groups, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(groups), group) {
			continue // it has ended, or belongs to another user
		}
		name, err := os.ReadFile(filepath.Join(dir, "comm"))
		if err != nil || string(name) == "pause\n" {
			continue // this process holds the pod's network
		}
		id, err := strconv.Atoi(filepath.Base(dir))
		require.NoError(t, err)
		if err := syscall.Kill(id, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
			require.NoError(t, err)
		}
		killed++
	}
	require.Positive(t, killed)
}

// databaseDies kills the database under the load of k6, while a few clients place orders. Every acknowledged order must
// exist afterwards. Until the database is back, clients get 503; no response is wrong, and no instance is restarted.
func (n *node) databaseDies(t *testing.T, results string, kill func()) {
	n.ready(t, "deployment/brokerage")
	run := n.loadTest(t, "the database dies", results, "DURATION=60s", "P99=60000")
	orders := chaostest.Start(t, chaostest.Options{
		URLs: []string{n.url(t)}, Token: n.token, Traders: 2, Shared: true, Pause: 100 * time.Millisecond,
		Generator: dataset.New(dataset.Spec{Seed: 1}),
	})
	orders.Await(t, 20)
	const began = "jsonpath={.status.containerStatuses[0].state.running.startedAt} " +
		"{.status.containerStatuses[0].containerID}"
	before := n.kube(t, "get", "pod", database, "-o", began)
	kill()
	killed := time.Now()
	eventually(t, func() bool {
		now := n.run(t, "", "get", "pod", database, "-n", n.namespace, "-o", began)
		return now.failed == nil && !strings.HasPrefix(now.out, " ") && now.out != before
	}, "another server runs")
	n.ready(t, "statefulset/brokerage-postgres")
	back := time.Since(killed)
	orders.Recovered(t) // none of them waits for a lost connection
	t.Logf("the server was back after %s, orders are taken again %s after it was killed",
		back.Round(100*time.Millisecond), time.Since(killed).Round(100*time.Millisecond))
	n.ready(t, "deployment/brokerage")
	orders.Await(t, 20)
	result := run()
	for reason := range result.Total.Unexpected {
		require.Contains(t, []string{"503 unavailable", "503 outcome-unknown", "503 overloaded", "other"}, reason,
			"%v", result.Total.Unexpected)
	}
	tally := orders.Stop(t)
	t.Logf("%d orders acknowledged of %d requests, %d lost, %d twice, meanwhile %v",
		tally.Acknowledged, tally.Tried, tally.Lost, tally.Duplicated, tally.Kinds)
	tally.RequireExact(t)
	require.Empty(t, strings.Trim(n.restarts(t, "service"), "0 "))
}

// An instance that is older than the schema exits with a message, and the running instances continue to serve.
func (n *node) newerSchema(t *testing.T) {
	psql := func(statement string) {
		n.kube(t, "exec", database, "--",
			"psql", "-U", "postgres", "-h", "/var/run/postgresql", "-d", "brokerage", "-c", statement)
	}
	psql("INSERT INTO brokerage.schema_versions VALUES (999, 'later')")
	n.kube(t, "rollout", "restart", "deployment/brokerage")
	const ended = "jsonpath={.items[*].status.containerStatuses[*].lastState.terminated.message}"
	eventually(t, func() bool {
		return strings.Contains(n.kube(t, "get", "pods", "-l", "app.kubernetes.io/component=service", "-o", ended),
			"the database has schema version 999, but this program supports up to")
	}, "the pod says why it has ended")
	require.Regexp(t, `^[345]$`, n.replicas(t), "three, and those that the autoscaler has added for the load before")
	n.mustRequest(t, "GET", orderPath, "")
	psql("DELETE FROM brokerage.schema_versions WHERE version = 999")
	n.ready(t, "deployment/brokerage")
}
