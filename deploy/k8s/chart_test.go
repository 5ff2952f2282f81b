package k8s_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

const (
	chart       = "../helm/brokerage"
	helmVersion = "3.19.2"
)

// leastKubernetes is the oldest version that the chart accepts: a Helm that is built from its module believes in 1.20.
const leastKubernetes = "1.30.0"

// chartOverlays are the overlays that the chart contains.
var chartOverlays = []string{"embedded", "external", "external-tls"}

// helm runs Helm, which is built when a cluster is asked for: it needs one or more minutes the first time.
func helm(t testing.TB, args ...string) said {
	t.Helper()
	dir := filepath.Join(kubeCache(), "bin", "helm-"+helmVersion)
	program := filepath.Join(dir, "helm")
	if _, err := os.Stat(program); err != nil {
		if !testenv.Required(need) && !testenv.Required(needNode) {
			testenv.Missing(t, need, "Helm is only built where a cluster is asked for: make test-k8s")
		}
		cmd := exec.CommandContext(t.Context(), "go", "install", "helm.sh/helm/v3/cmd/helm@v"+helmVersion)
		cmd.Dir = t.TempDir() // outside of any module
		cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return call(exec.CommandContext(t.Context(), program, args...))
}

// charted returns the objects of a release of the chart.
func charted(t testing.TB, args ...string) []object {
	t.Helper()
	s := helm(t, append([]string{"template", "brokerage", chart, "--namespace", "brokerage",
		"--kube-version", leastKubernetes}, args...)...)
	require.NoError(t, s.failed, s.err)
	require.Empty(t, s.err)
	return objects(t, strings.TrimPrefix(s.out, "---\n"))
}

var (
	hashed   = regexp.MustCompile(`\bbrokerage-[a-z0-9]{10}\b`)
	revision = regexp.MustCompile(`(name: brokerage-migrate)-1\b`)
	checksum = regexp.MustCompile(` +checksum/settings: .*\n`)
)

// The chart has the objects of the overlays.
func TestChart_Files(t *testing.T) {
	for _, overlay := range chartOverlays {
		var made []string
		for _, o := range render(t, "overlays/"+overlay) {
			text := hashed.ReplaceAllString(dump(t, o), "brokerage") // the chart has a checksum of its own
			text = strings.ReplaceAll(text, "app.kubernetes.io/managed-by: kustomize", "app.kubernetes.io/managed-by: Helm")
			made = append(made, strings.TrimPrefix(text, "---\n"))
		}
		file := filepath.Join(chart, "files", overlay+".yaml")
		whole := "# Made of deploy/k8s/overlays: UPDATE_CHART=1 go test ./deploy/k8s -run TestChart_Files\n" +
			strings.Join(made, "---\n")
		requireGenerated(t, "UPDATE_CHART", file, whole)
	}
}

// With its default values the chart makes the objects of the overlay, and nothing else.
func TestChart_Defaults(t *testing.T) {
	for _, overlay := range chartOverlays {
		t.Run(overlay, func(t *testing.T) {
			want := make(map[string]string)
			for _, o := range objects(t, testenv.Text(t, filepath.Join(chart, "files", overlay+".yaml"))) {
				want[o.kind()+" "+o.name()] = dump(t, o)
			}
			all := charted(t, "--set", "overlay="+overlay)
			require.Len(t, all, len(want))
			for _, o := range all {
				text := checksum.ReplaceAllString(revision.ReplaceAllString(dump(t, o), "$1"), "")
				name := o.kind() + " " + strings.TrimSuffix(o.name(), "-1")
				require.Equal(t, normal(t, want[name]), normal(t, text), name)
			}
		})
	}
}

// normal returns a manifest without what the chart always adds: tag and pull policy of the image, and the annotation
// by which backups stay.
func normal(t testing.TB, manifest string) any {
	t.Helper()
	for _, line := range []string{"imagePullPolicy: IfNotPresent", "helm.sh/resource-policy: keep"} {
		manifest = regexp.MustCompile(` +(- )?`+line+`\n`).ReplaceAllString(manifest, "")
	}
	manifest = regexp.MustCompile(`(image: brokerage):\S+`).ReplaceAllString(manifest, "$1")
	manifest = regexp.MustCompile(` +annotations:( \{\})?\n( *labels:)`).ReplaceAllString(manifest, "$2")
	all := objects(t, strings.TrimPrefix(manifest, "---\n"))
	require.Len(t, all, 1)
	return all[0]
}

// schema returns the schema of the values.
func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(chart, "values.schema.json"))
	require.NoError(t, err)
	s, err := jsonschema.NewCompiler().Compile(file)
	require.NoError(t, err)
	return s
}

func values(t testing.TB) map[string]any {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal([]byte(testenv.Text(t, filepath.Join(chart, "values.yaml"))), &v))
	out, err := json.Marshal(v)
	require.NoError(t, err)
	v, err = jsonschema.UnmarshalJSON(bytes.NewReader(out))
	require.NoError(t, err)
	return v.(map[string]any) //nolint:forcetypeassert // a file of ours
}

// Every value is in the schema, and has a default that the schema allows.
func TestChart_Schema(t *testing.T) {
	require.NoError(t, schema(t).Validate(values(t)))
	var s struct{ Properties map[string]any }
	require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, filepath.Join(chart, "values.schema.json"))), &s))
	for name := range s.Properties {
		require.True(t, name == "global" || values(t)[name] != nil, name) // Helm itself adds global
	}
}

// mistakes are values that the schema refuses.
var mistakes = map[string]string{
	"UnknownValue":     "replica.min=2",
	"UnknownOverlay":   "overlay=postgres",
	"UnknownSetting":   "settings.IN_FLIGHT=512",
	"NumberAsSetting":  "settings.BROKERAGE_IN_FLIGHT=512",
	"NoTag":            "image.tag=a:b",
	"NoPullPolicy":     "image.pullPolicy=Sometimes",
	"NoReplicas":       "replicas.min=0",
	"MemoryInGigabyte": "resources.limits.memory=1G",
	"NoSize":           "storage.size=10",
	"NoSchedule":       "backup.schedule=daily",
	"OtherContainers":  "pod.containers[0].name=another",
}

// Helm refuses wrong values before it sends anything.
func TestChart_Refused(t *testing.T) {
	for name, mistake := range mistakes {
		t.Run(name, func(t *testing.T) {
			s := helm(t, "template", chart, "--kube-version", leastKubernetes, "--set", mistake)
			require.Error(t, s.failed, s.out)
			require.Contains(t, s.err, "values don't meet the specifications of the schema", mistake)
		})
	}
	s := helm(t, "lint", "--strict", chart)
	require.NoError(t, s.failed, s.out+s.err)
}

// Values reach the objects that they are for.
func TestChart_Values(t *testing.T) {
	all := charted(t, "--set", "overlay=external", "--set", "image.repository=registry.example.com/brokerage",
		"--set", "image.tag=1.2.3", "--set-string", "settings.BROKERAGE_IN_FLIGHT=512", "--set", "replicas.max=20",
		"--set", "resources.limits.memory=1000Mi", "--set", "networkPolicies=false",
		"--set", "pod.imagePullSecrets[0].name=registry", "--set", "pod.nodeSelector.disk=ssd")
	require.False(t, slices.ContainsFunc(all, func(o object) bool { return o.kind() == "NetworkPolicy" }))
	require.EqualValues(t, "512", at(find(t, all, "ConfigMap", "brokerage"), "data", "BROKERAGE_IN_FLIGHT"))
	require.Equal(t, 20, number(t, find(t, all, "HorizontalPodAutoscaler", "brokerage"), "spec", "maxReplicas"))
	for _, o := range []object{find(t, all, "Deployment", "brokerage"), find(t, all, "Job", "brokerage-migrate-1")} {
		spec := at(o.template(), "spec")
		require.Equal(t, "registry.example.com/brokerage:1.2.3", text(list(spec, "containers")[0], "image"))
		require.Equal(t, []any{map[string]any{"name": "registry"}}, list(spec, "imagePullSecrets"))
		require.Equal(t, "ssd", text(spec, "nodeSelector", "disk"))
		require.Equal(t, true, at(spec, "securityContext", "runAsNonRoot"), "what is there stays")
	}
	container := list(find(t, all, "Deployment", "brokerage").template(), "spec", "containers")[0]
	require.Equal(t, "1000Mi", text(container, "resources", "limits", "memory"))
	require.Equal(t, "256Mi", text(container, "resources", "requests", "memory"))
	require.Contains(t, dump(t, find(t, all, "Deployment", "brokerage")), "900MiB")

	all = charted(t, "--set", "storage.className=fast", "--set", "storage.size=50Gi", "--set", "backup.schedule=0 1 * * *")
	claim := list(find(t, all, "StatefulSet", "brokerage"), "spec", "volumeClaimTemplates")[0]
	require.Equal(t, "fast", text(claim, "spec", "storageClassName"))
	require.Equal(t, "50Gi", text(claim, "spec", "resources", "requests", "storage"))
	backups := find(t, all, "PersistentVolumeClaim", "brokerage-backup")
	require.Equal(t, "10Gi", text(backups, "spec", "resources", "requests", "storage"))
	require.Equal(t, "fast", text(backups, "spec", "storageClassName"))
	require.Equal(t, "0 1 * * *", text(find(t, all, "CronJob", "brokerage-backup"), "spec", "schedule"))
}

// A real API server accepts what the chart makes, and its pods in a namespace that enforces restricted.
func TestChart_Accepted(t *testing.T) {
	c := requireCluster(t)
	restricted := c.namespace(t, "restricted")
	for _, overlay := range chartOverlays {
		all := charted(t, "--set", "overlay="+overlay)
		s := c.offer(t, restricted, append(all, pods(all)...)...)
		require.NoError(t, s.failed, s.err)
		require.Empty(t, s.err)
	}
}
