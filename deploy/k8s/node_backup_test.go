package k8s_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

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

// scale sets the number of instances of the embedded store, and waits until that is so.
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
	newer     = `<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="8"/>`
)

// A backup reaches the bucket, a failure to upload it fails the Job, and what the bucket has is restored, but not
// under a running service.
func TestNode_Backup(t *testing.T) {
	n := requireNode(t, "data-brokerage-0", "bucket")
	backups := n.volume(t, "brokerage-backup")
	bucket := filepath.Join(n.volumes, "bucket", "backups")
	require.NoError(t, os.Mkdir(bucket, 0o777))
	require.NoError(t, os.Chmod(bucket, 0o777)) //nolint:gosec // for pods of any user
	n.tokens(t)
	n.secret(t, "brokerage-backup-s3", map[string]string{"access_key": "writer", "secret_key": "wrong"})
	n.must(t, bucketServer, "apply", "-n", n.namespace, "-f", "-")
	n.apply(t, "overlays/embedded", toBucket("none"))
	n.ready(t, "statefulset/brokerage")
	n.kube(t, "wait", "--for=condition=ready", "pod/bucket", "--timeout="+patience.String())
	n.mustRequest(t, "PUT", orderPath+"/status", backedUp)

	// The account may not write there: the backup is made, but the Job fails, and the CronJob has had no success.
	const successes = "jsonpath={.status.lastSuccessfulTime}"
	n.kube(t, "create", "job", "--from=cronjob/brokerage-backup", "brokerage-backup-refused")
	require.Equal(t, "Failed", n.ended(t, "brokerage-backup-refused"))
	require.FileExists(t, filepath.Join(backups, "brokerage.bak"))
	require.Empty(t, n.kube(t, "get", "cronjob", "brokerage-backup", "-o", successes))

	n.secret(t, "brokerage-backup-s3", map[string]string{"access_key": "writer", "secret_key": "right"})
	n.kube(t, "create", "job", "--from=cronjob/brokerage-backup", "brokerage-backup-now")
	require.Equal(t, "Complete", n.ended(t, "brokerage-backup-now"))
	uploaded := testenv.Text(t, filepath.Join(bucket, "brokerage-backup-now.bak"))
	require.Equal(t, testenv.Text(t, filepath.Join(backups, "brokerage.bak")), uploaded)
	eventually(t, func() bool {
		return n.kube(t, "get", "cronjob", "brokerage-backup", "-o", successes) != ""
	}, "the time of the success, from which the alert computes the age")

	// The volume of the backups is lost, and the order has changed.
	require.NoError(t, os.Remove(filepath.Join(backups, "brokerage.bak")))
	n.mustRequest(t, "PUT", orderPath+"/status", newer)
	n.apply(t, "jobs/restore", toBucket("brokerage-backup-now.bak"))
	require.Equal(t, "Failed", n.ended(t, "brokerage-restore"), "the service uses the database")
	require.Contains(t, n.kube(t, "logs", "job/brokerage-restore", "--all-containers"), "in use by another process")
	require.Contains(t, n.mustRequest(t, "GET", orderPath, ""), `Stat="8"`)

	n.kube(t, "delete", "job", "brokerage-restore")
	n.scale(t, 0)
	// Nor is anything else restored when the object does not exist, although the file that was fetched before is there.
	n.apply(t, "jobs/restore", toBucket("brokerage-backup-then.bak"))
	require.Equal(t, "Failed", n.ended(t, "brokerage-restore"))
	n.kube(t, "delete", "job", "brokerage-restore")

	n.apply(t, "jobs/restore", toBucket("brokerage-backup-now.bak"))
	began := time.Now()
	require.Equal(t, "Complete", n.ended(t, "brokerage-restore"))
	t.Logf("restored in %s", time.Since(began).Round(time.Second))
	n.scale(t, 1)
	require.Contains(t, n.mustRequest(t, "GET", orderPath, ""), `Stat="4"`)
}

// A dataset is loaded into the claim of the embedded store before the service uses it for the first time.
func TestNode_LoadEmbedded(t *testing.T) {
	n := requireNode(t, "data-brokerage-0", "brokerage-backup")
	n.tokens(t)
	n.apply(t, "jobs/load/embedded", "")
	require.Equal(t, "Complete", n.ended(t, "brokerage-load"))
	n.apply(t, "overlays/embedded", "")
	n.ready(t, "statefulset/brokerage")
	require.Contains(t, n.metrics(t), `scale="XXXS"`, "the service has made no dataset of its own")
}

// metrics returns the metrics of the service.
func (n *node) metrics(t testing.TB) (text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		strings.Replace(n.url(t), ":8080", ":9090/metrics", 1), http.NoBody)
	require.NoError(t, err)
	eventually(t, func() bool { text = fetch(request); return text != "" }, "metrics")
	return text
}
