package k8s_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ends waits until a Job ends as expected: complete or failed.
func (n *node) ends(t testing.TB, job, how string) {
	t.Helper()
	n.kube(t, "wait", "--for=condition="+how, "--timeout="+patience.String(), "job/"+job)
}

// scale sets the number of instances of the embedded store, 0 or 1, and waits until none runs or the one is ready.
func (n *node) scale(t testing.TB, instances int) {
	t.Helper()
	n.kube(t, "scale", "statefulset/brokerage", "--replicas="+strconv.Itoa(instances))
	if instances == 0 {
		n.kube(t, "wait", "--for=delete", "pod/brokerage-0", "--timeout="+patience.String())
		return
	}
	n.ready(t, "statefulset/brokerage")
}

const (
	orderPath = "/v1/orders/103282"
	backedUp  = `<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="4"/>`
)

// The embedded overlay waits for its Secret and says so, keeps its data when its pod is deleted, and keeps several
// backups. After the volume is lost, the service is not ready, the empty volume is neither filled nor backed up, and
// a restore brings the write back.
func TestNode_Embedded(t *testing.T) {
	n := requireNode(t)
	data, backups := n.volume(t, "data-brokerage-0"), n.volume(t, "brokerage-backup")
	n.apply(t, "jobs/load/embedded", tiny)
	n.ends(t, "brokerage-load", "complete")
	n.apply(t, "overlays/embedded", "")
	eventually(t, func() bool {
		return strings.Contains(n.kube(t, "get", "events", "-o", "jsonpath={.items[*].message}"),
			`secret "brokerage-tokens" not found`)
	}, "the event says what is missing")
	n.secrets(t)
	n.ready(t, "statefulset/brokerage")
	n.mustRequest(t, "PUT", orderPath+"/status", backedUp)
	n.kube(t, "delete", "pod", "brokerage-0")
	n.ready(t, "statefulset/brokerage")
	require.Contains(t, n.mustRequest(t, "GET", orderPath, ""), `Stat="4"`)
	for _, name := range []string{"first", "second"} {
		n.kube(t, "create", "job", "--from=cronjob/brokerage-backup", name)
		n.ends(t, name, "complete")
	}
	kept, err := filepath.Glob(filepath.Join(backups, "brokerage-*.bak"))
	require.NoError(t, err)
	require.Len(t, kept, 2)

	n.scale(t, 0)
	require.NoError(t, os.RemoveAll(data))
	n.folder(t, "data-brokerage-0")
	n.kube(t, "scale", "statefulset/brokerage", "--replicas=1")
	eventually(t, func() bool { return strings.Contains(n.logs(t), "the database is empty") }, "the log says why")
	n.kube(t, "create", "job", "--from=cronjob/brokerage-backup", "of-nothing")
	n.ends(t, "of-nothing", "failed")
	require.Equal(t, "false",
		n.kube(t, "get", "pod", "brokerage-0", "-o", "jsonpath={.status.containerStatuses[0].ready}"))
	left, err := os.ReadDir(data)
	require.NoError(t, err)
	require.Empty(t, left)

	n.scale(t, 0)
	n.apply(t, "jobs/restore", "")
	n.ends(t, "brokerage-restore", "complete")
	n.scale(t, 1)
	require.Contains(t, n.mustRequest(t, "GET", orderPath, ""), `Stat="4"`)
}
