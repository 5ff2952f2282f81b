package k8s_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// nodes are the two of the scheduler's tests: objects without a machine.
var nodes = []string{"one", "two"}

// requireScheduler returns the tests' own cluster with two nodes, its scheduler and the controllers that create pods
// and attach volumes. Pods are assigned to nodes, but nothing runs.
func requireScheduler(t testing.TB) *cluster {
	t.Helper()
	c := requireCluster(t)
	if c.stop == nil {
		testenv.Missing(t, need, "nodes are only added to a cluster of the tests' own: KUBECONFIG names another")
	}
	logs := t.TempDir()
	for program, args := range map[string][]string{
		"sched": nil,
		"cm": {"--controllers=job-controller,deployment-controller,replicaset-controller,statefulset-controller," +
			"persistentvolume-binder-controller,persistentvolume-attach-detach-controller"},
	} {
		log, err := os.Create(filepath.Join(logs, program))
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), filepath.Join(kubeCache(), "bin", "mc", program), append(args,
			"--kubeconfig="+c.config, "--leader-elect=false", "--secure-port=0")...)
		cmd.Stdout, cmd.Stderr = log, log
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // killed
			_ = log.Close()
		})
	}
	for _, name := range nodes {
		c.must(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":%q,
			"labels":{"kubernetes.io/hostname":%[1]q},
			"annotations":{"volumes.kubernetes.io/controller-managed-attach-detach":"true"}},
			"status":{"capacity":{"cpu":"8","memory":"16Gi","pods":"50","ephemeral-storage":"50Gi"},
				"conditions":[{"type":"Ready","status":"True"}]}}`, name), "create", "-f", "-")
		// The API server's own taint, which a kubelet's first report would remove.
		c.must(t, "", "patch", "node", name, "--type=json", "-p", `[{"op":"remove","path":"/spec/taints"}]`)
		t.Cleanup(func() { c.run(t, "", "delete", "node", name) })
	}
	c.must(t, `{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"disk.test"},"spec":{}}`,
		"apply", "--server-side", "-f", "-") // its volumes are attached to one node at a time
	return c
}

// disk creates a volume for a claim, as a disk of a cloud: it can be attached to any node, but only to one.
func (c *cluster) disk(t testing.TB, namespace, claim string) {
	t.Helper()
	name := namespace + "-" + claim
	c.must(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":%q},"spec":{
		"capacity":{"storage":"50Gi"},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain",
		"csi":{"driver":"disk.test","volumeHandle":%[1]q},"claimRef":{"namespace":%q,"name":%q}}}`,
		name, namespace, claim), "apply", "--server-side", "-f", "-")
	t.Cleanup(func() { c.run(t, "", "delete", "pv", name, "--wait=false") })
}

// attach reports every volume as attached that the controller wants attached, as a driver would.
func (c *cluster) attach(t testing.TB) {
	t.Helper()
	for name := range strings.FieldsSeq(c.must(t, "", "get", "volumeattachments", "-o", "name")) {
		c.run(t, "", "patch", name, "--subresource=status", "--type=merge", "-p", `{"status":{"attached":true}}`)
	}
}

// placed waits until each pod of a namespace is assigned to a node and the disks of those that have not ended are
// attached there, and returns the nodes of the pods that mount a claim.
func (c *cluster) placed(t testing.TB, namespace, claim string) (used []string) {
	t.Helper()
	const where = `{range .items[*]}{.spec.nodeName}/{.spec.volumes[*].persistentVolumeClaim.claimName}` + "\n{end}"
	var all []string
	eventually(t, func() bool {
		all = strings.Split(strings.TrimSpace(c.must(t, "", "get", "pods", "-n", namespace, "-o", "jsonpath="+where)), "\n")
		c.attach(t)
		return !slices.ContainsFunc(all, func(pod string) bool { return strings.HasPrefix(pod, "/") })
	}, "every pod has a node: %s", c.run(t, "", "get", "events", "-n", namespace).out)
	for _, pod := range all {
		if node, claims, _ := strings.Cut(pod, "/"); slices.Contains(strings.Fields(claims), claim) {
			used = append(used, node)
		}
	}
	return used
}

// workloads returns the objects that have pods, and the others.
func workloads(all []object) (with, without []object) {
	for _, o := range all {
		if o.template() != nil && o.kind() != "CronJob" {
			with = append(with, o)
		} else {
			without = append(without, o)
		}
	}
	return with, without
}

// On two nodes, with a disk that is attached to one at a time, everything that uses the claim "results" comes onto
// one node, in either order, although the load generator prefers one without the service; and a drain refuses none
// of it.
func TestScheduler_Results(t *testing.T) {
	c := requireScheduler(t)
	for _, overlay := range []string{"loadtest", "campaign", "drive"} {
		for _, order := range []string{"WriterFirst", "ReaderFirst"} {
			t.Run(overlay+"/"+order, func(t *testing.T) {
				namespace := c.namespace(t, "restricted")
				t.Cleanup(func() { // nothing else would remove pods from nodes without a kubelet
					c.run(t, "", "delete", "statefulsets,jobs,pods", "--all", "-n", namespace, "--grace-period=0", "--force")
				})
				apply := func(all ...object) {
					t.Helper()
					c.must(t, dump(t, all...), "apply", "--server-side", "--force-conflicts", "-n", namespace, "-f", "-")
				}
				c.disk(t, namespace, "data-brokerage-0")
				c.disk(t, namespace, "results")
				serving, rest := workloads(render(t, "overlays/embedded"))
				apply(slices.Concat(rest, serving)...)
				eventually(t, func() bool {
					return c.must(t, "", "get", "pods", "-n", namespace, "-o", "name") != ""
				}, "the service has a pod")
				c.placed(t, namespace, "results")

				jobs, rest := workloads(slices.Concat(render(t, "overlays/"+overlay), render(t, "overlays/results")))
				apply(rest...)
				if order == "ReaderFirst" {
					slices.Reverse(jobs)
				}
				var used []string
				pods := 0
				for _, job := range jobs {
					apply(job)
					if at(job, "spec", "parallelism") == nil {
						pods++
					} else {
						pods += number(t, job, "spec", "parallelism")
					}
					eventually(t, func() bool {
						used = c.placed(t, namespace, "results")
						return len(used) == pods
					}, "%s has its pods", job.name())
				}
				assert.Len(t, slices.Compact(slices.Sorted(slices.Values(used))), 1,
					"the pods that share a disk are on nodes %v", used)
				// The controller looks at each volume about once a tenth of a second.
				time.Sleep(time.Second)
				require.NotContains(t, c.must(t, "", "get", "events", "-n", namespace), "Multi-Attach")

				for _, name := range nodes {
					s := c.run(t, "", "drain", name, "--dry-run=client", "--ignore-daemonsets", "--delete-emptydir-data",
						"--pod-selector=app.kubernetes.io/part-of=brokerage")
					require.NoError(t, s.failed, s.err)
				}
			})
		}
	}
}
