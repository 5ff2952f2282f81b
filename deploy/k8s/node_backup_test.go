package k8s_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// bucketServer is a server of S3's protocol in the namespace of a test, by the image that uploads.
const bucketServer = `apiVersion: v1
kind: Pod
metadata: {name: bucket, labels: {app: bucket}}
spec:
  automountServiceAccountToken: false
  securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
  containers:
    - name: bucket
      image: docker.io/rclone/rclone:1.71.2
      args: [serve, s3, --addr=:8080, "--auth-key=writer,right", /data]
      env: [{name: HOME, value: /tmp}]
      readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}
      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
      volumeMounts: [{name: data, mountPath: /data}, {name: tmp, mountPath: /tmp}]
  volumes:
    - {name: data, persistentVolumeClaim: {claimName: bucket}}
    - {name: tmp, emptyDir: {}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: bucket}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Service
metadata: {name: bucket}
spec: {selector: {app: bucket}, ports: [{port: 8080}]}
`

// toBucket adds components/backup-s3 to an overlay, for the server of the test.
func toBucket(object string) string {
	return `  - target: {kind: NetworkPolicy, name: to-backup-s3}
    patch: "- {op: replace, path: /spec/egress/0/ports/0/port, value: 8080}"
  - patch: |
      {apiVersion: v1, kind: ConfigMap, metadata: {name: backup-s3}, data: {
        BUCKET: backups, RCLONE_CONFIG_S3_ENDPOINT: "http://bucket:8080", OBJECT: ` + object + `}}
components: ["%[1]s/components/backup-s3"]
`
}

// ended waits until a Job is complete or has failed, and returns which of them it is.
func (n *node) ended(t testing.TB, job string) (how string) {
	t.Helper()
	eventually(t, func() bool {
		all := n.kube(t, "get", "job", job, "-o", `jsonpath={.status.conditions[?(@.status=="True")].type}`)
		for condition := range strings.FieldsSeq(all) {
			if condition == "Complete" || condition == "Failed" {
				how = condition
			}
		}
		return how != ""
	}, "%s ends", job)
	return how
}

// scale sets the number of instances of the embedded store, and waits until none runs or it is ready.
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

// Backups keep their generations and reach a bucket. After the volume is lost, the service is not ready, nothing fills it,
// no backup is made of it, and a restore from the bucket brings the write back.
func TestNode_LostVolume(t *testing.T) {
	n := requireNode(t, "bucket")
	data, backups := n.volume(t, "data-brokerage-0"), n.volume(t, "brokerage-backup")
	bucket := filepath.Join(n.volumes, "bucket", "backups")
	require.NoError(t, os.Mkdir(bucket, 0o777))
	require.NoError(t, os.Chmod(bucket, 0o777)) //nolint:gosec // for pods of any user
	n.tokens(t)
	n.secret(t, "brokerage-backup-s3", map[string]string{"ACCESS_KEY_ID": "writer", "SECRET_ACCESS_KEY": "right"})
	n.must(t, bucketServer, "apply", "-n", n.namespace, "-f", "-")
	n.apply(t, "jobs/load/embedded", tiny)
	require.Equal(t, "Complete", n.ended(t, "brokerage-load"))
	n.apply(t, "overlays/embedded", toBucket("none"))
	n.ready(t, "statefulset/brokerage")
	n.kube(t, "wait", "--for=condition=ready", "pod/bucket", "--timeout="+patience.String())
	n.mustRequest(t, "PUT", orderPath+"/status", backedUp)
	for _, name := range []string{"first", "second"} {
		n.kube(t, "create", "job", "--from=cronjob/brokerage-backup", name)
		require.Equal(t, "Complete", n.ended(t, name))
	}
	kept, err := filepath.Glob(filepath.Join(backups, "brokerage-*.bak"))
	require.NoError(t, err)
	require.Len(t, kept, 2)
	last := filepath.Base(kept[1])
	require.Equal(t, testenv.Text(t, kept[1]), testenv.Text(t, filepath.Join(bucket, last)))

	n.scale(t, 0)
	for _, folder := range []string{data, backups} {
		require.NoError(t, os.RemoveAll(folder))
		require.NoError(t, os.Mkdir(folder, 0o777))
		require.NoError(t, os.Chmod(folder, 0o777)) //nolint:gosec // for pods of any user
	}
	n.kube(t, "scale", "statefulset/brokerage", "--replicas=1")
	eventually(t, func() bool { return strings.Contains(n.logs(t), "the database is empty") }, "the log says why")
	n.kube(t, "create", "job", "--from=cronjob/brokerage-backup", "of-nothing")
	require.Equal(t, "Failed", n.ended(t, "of-nothing"))
	require.Equal(t, "false", n.kube(t, "get", "pod", "brokerage-0", "-o", "jsonpath={.status.containerStatuses[0].ready}"))
	left, err := os.ReadDir(data)
	require.NoError(t, err)
	require.Empty(t, left)

	n.scale(t, 0)
	n.apply(t, "jobs/restore", toBucket(last))
	require.Equal(t, "Complete", n.ended(t, "brokerage-restore"), n.logs(t))
	n.scale(t, 1)
	require.Contains(t, n.mustRequest(t, "GET", orderPath, ""), `Stat="4"`)
}
