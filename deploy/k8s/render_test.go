package k8s_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// folders returns all folders that can be applied.
func folders(t testing.TB) (names []string) {
	t.Helper()
	for _, root := range []string{"overlays", "jobs"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Base(path) == "kustomization.yaml" &&
				strings.Contains(testenv.Text(t, path), "\nkind: Kustomization\n") {
				names = append(names, filepath.Dir(path))
			}
			return err
		}))
	}
	require.NotEmpty(t, names)
	return names
}

// variants are overlays with components that an operator may add.
var variants = map[string]string{
	"gateway": "resources: [%[1]s/overlays/embedded]\ncomponents: [%[1]s/components/gateway]\n",
	"gateway-tls": "resources: [%[1]s/overlays/postgres]\n" +
		"components: [%[1]s/components/gateway, %[1]s/components/gateway/tls, %[1]s/components/tls]\n",
	"tls":        "resources: [%[1]s/overlays/embedded]\ncomponents: [%[1]s/components/tls]\n",
	"autoscale":  "resources: [%[1]s/overlays/postgres]\ncomponents: [%[1]s/components/autoscale]\n",
	"monitoring": "resources: [%[1]s/overlays/external]\ncomponents: [%[1]s/components/monitoring]\n",
	"backup-s3":  "resources: [%[1]s/overlays/embedded]\ncomponents: [%[1]s/components/backup-s3]\n",
	"restore-s3": "resources: [%[1]s/jobs/restore]\ncomponents: [%[1]s/components/backup-s3]\n",
	"openshift":  "resources: [%[1]s/overlays/postgres]\ncomponents: [%[1]s/components/openshift]\n",
}

// everything returns each folder and each variant, rendered.
func everything(t testing.TB) map[string][]object {
	t.Helper()
	all := make(map[string][]object)
	for _, folder := range folders(t) {
		all[folder] = render(t, folder)
	}
	for name, kustomization := range variants {
		all[name] = compose(t, kustomization)
	}
	return all
}

// rendered caches what render and compose return, as text: rendering takes a second.
var rendered = make(map[string]string)

// render returns the objects of a folder.
func render(t testing.TB, dir string) []object {
	t.Helper()
	if known, ok := rendered[dir]; ok {
		return objects(t, known)
	}
	kubectl, err := kubectlOf()
	if err != nil {
		testenv.Missing(t, need, err.Error())
	}
	// kubectl reads these files. Unless this process looks at them too, go test repeats its last result after a change.
	for _, folder := range []string{"..", "../../loadtest"} {
		require.NoError(t, filepath.WalkDir(folder, func(_ string, _ fs.DirEntry, err error) error { return err }))
	}
	s := call(exec.CommandContext(t.Context(), kubectl, "kustomize", dir))
	require.NoError(t, s.failed, "%s: %s", dir, s.err)
	require.Empty(t, s.err, dir) // warnings announce what will not work in the next version
	require.NotEmpty(t, s.out, dir)
	rendered[dir] = s.out
	return objects(t, s.out)
}

// compose returns the objects of a kustomization that uses the existing ones.
func compose(t testing.TB, kustomization string) []object {
	t.Helper()
	if _, known := rendered[kustomization]; !known {
		dir := variant(t, kustomization)
		render(t, dir)
		rendered[kustomization] = rendered[dir]
	}
	return objects(t, rendered[kustomization])
}

// variant writes a kustomization, in whose text %[1]s stands for this folder, and returns the folder that it is in.
func variant(t testing.TB, text string) string {
	t.Helper()
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	// Kustomize accepts only relative paths, and resolves links itself.
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	here, err = filepath.Rel(dir, here)
	require.NoError(t, err)
	text = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n" + strings.ReplaceAll(text, "%[1]s", here)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600))
	return dir
}

// object is an object of Kubernetes, decoded from YAML.
type object map[string]any

// objects reads documents of YAML, which must not repeat a key.
func objects(t testing.TB, text string) (all []object) {
	t.Helper()
	for doc := range strings.SplitSeq(text, "\n---\n") {
		var o object
		require.NoError(t, yaml.Unmarshal([]byte(doc), &o), doc)
		if o != nil {
			all = append(all, o)
		}
	}
	return all
}

func (o object) kind() string { return text(o, "kind") }

func (o object) name() string { return text(o, "metadata", "name") }

// at returns the value at a path, or nil.
func at(v any, path ...string) any {
	for _, key := range path {
		switch m := v.(type) {
		case object:
			v = m[key]
		case map[string]any:
			v = m[key]
		default:
			return nil
		}
	}
	return v
}

func text(v any, path ...string) string {
	s, _ := at(v, path...).(string)
	return s
}

func list(v any, path ...string) []any {
	l, _ := at(v, path...).([]any)
	return l
}

// containers returns the containers of the pods of a workload.
func (o object) containers() []any {
	return append(list(o.template(), "spec", "initContainers"), list(o.template(), "spec", "containers")...)
}

// template returns the pod template of a workload; nil for other objects.
func (o object) template() object {
	path := map[string][]string{
		"Deployment": {"spec", "template"}, "StatefulSet": {"spec", "template"}, "Job": {"spec", "template"},
		"CronJob": {"spec", "jobTemplate", "spec", "template"},
	}[o.kind()]
	template, _ := at(o, path...).(map[string]any)
	if path == nil {
		return nil
	}
	return template
}

// find returns the object of a kind and name; generated names end with a hash.
func find(t testing.TB, all []object, kind, name string) object {
	t.Helper()
	named := regexp.MustCompile("^" + name + "(-[a-z0-9]{10})?$")
	for _, o := range all {
		if o.kind() == kind && named.MatchString(o.name()) {
			return o
		}
	}
	require.Failf(t, "there is no such object", "%s %s", kind, name)
	return nil
}

func dump(t testing.TB, all ...object) string {
	t.Helper()
	var b strings.Builder
	for _, o := range all {
		out, err := yaml.Marshal(o)
		require.NoError(t, err)
		b.WriteString("---\n" + string(out))
	}
	return b.String()
}

// Every pod requests the memory it needs, and no right in the cluster. Images have a tag: without one, nodes would
// ask a registry for an image that was only loaded onto them. The project's own images all have the same tag.
func TestManifests_Pods(t *testing.T) {
	own := make(map[string]bool)
	for folder, all := range everything(t) {
		for _, o := range all {
			where := folder + ": " + o.kind() + " " + o.name()
			require.Equal(t, "brokerage", text(o, "metadata", "labels", "app.kubernetes.io/part-of"), where)
			if o.template() == nil {
				continue
			}
			require.NotEmpty(t, text(o.template(), "metadata", "labels", "app.kubernetes.io/component"), where)
			spec := at(o.template(), "spec")
			require.Equal(t, false, at(spec, "automountServiceAccountToken"), where)
			require.Equal(t, false, at(spec, "enableServiceLinks"), where)
			require.Equal(t, true, at(spec, "securityContext", "runAsNonRoot"), where)
			// OpenShift has a group of its own for each namespace.
			require.Equal(t, folder == "openshift", at(spec, "securityContext", "fsGroup") == nil, where)
			for _, c := range o.containers() {
				require.NotEmpty(t, text(c, "resources", "requests", "memory"), where)
				require.NotEmpty(t, text(c, "resources", "limits", "memory"), where)
				require.Equal(t, true, at(c, "securityContext", "readOnlyRootFilesystem"), where)
				name, tag, _ := strings.Cut(text(c, "image"), ":")
				require.NotContains(t, []string{"", "latest"}, tag, where)
				if strings.HasPrefix(name, "brokerage") {
					own[tag] = true
					require.Equal(t, strings.HasSuffix(folder, "db2"), name == "brokerage-db2", where)
				}
			}
		}
	}
	require.Len(t, own, 1)
}

// The service's pod: only readiness depends on the database, the whole shutdown fits into the grace period, and no
// manifest fills an empty database.
func TestManifests_Service(t *testing.T) {
	served := 0
	for folder, all := range everything(t) {
		for _, o := range all {
			if o.name() != "brokerage" || o.template() == nil {
				continue
			}
			served++
			c := o.containers()[0]
			settings := at(find(t, all, "ConfigMap", "brokerage"), "data")
			for probe, path := range map[string]string{
				"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz",
			} {
				require.Equal(t, path, text(c, probe, "httpGet", "path"), folder)
				require.Equal(t, "metrics", text(c, probe, "httpGet", "port"), "%s: not behind client certificates", folder)
			}
			end := 10 * time.Second // preStop, and the last traces
			for _, name := range []string{"BROKERAGE_DRAIN_DELAY", "BROKERAGE_SHUTDOWN_TIMEOUT"} {
				step, err := time.ParseDuration(text(settings, name))
				require.NoError(t, err)
				end += step
			}
			require.Contains(t, dump(t, o), "terminationGracePeriodSeconds: 60")
			require.LessOrEqual(t, end, 50*time.Second, "10 s and more to close the database")
			require.NotContains(t, dump(t, all...), "FILL")
			require.Contains(t, dump(t, o), "k8s.pod.name=$(POD)", "traces lead to a pod")
			require.Equal(t, at(o, "spec", "selector"), at(find(t, all, "PodDisruptionBudget", "brokerage"), "spec", "selector"))
		}
	}
	require.Equal(t, 11, served)
}

// Every setting in a manifest is documented.
func TestManifests_Settings(t *testing.T) {
	documented := testenv.Text(t, "../../docs/commands.md")
	for folder, all := range everything(t) {
		for _, name := range regexp.MustCompile(`BROKERAGE_[A-Z_]+`).FindAllString(dump(t, all...), -1) {
			flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "BROKERAGE_")), "_", "-")
			require.Contains(t, documented, "--"+flag, folder)
		}
	}
}

// The claim that the load makes is the one of the StatefulSet.
func TestManifests_Claim(t *testing.T) {
	claim := find(t, render(t, "jobs/load/embedded"), "PersistentVolumeClaim", "data-brokerage-0")
	wanted := list(find(t, render(t, "overlays/embedded"), "StatefulSet", "brokerage"), "spec", "volumeClaimTemplates")[0]
	require.Equal(t, at(wanted, "spec"), at(claim, "spec"))
}
