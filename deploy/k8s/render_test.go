package k8s_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// overlays returns the folders that can be applied.
func overlays(t testing.TB) (names []string) {
	t.Helper()
	entries, err := os.ReadDir("overlays")
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, "overlays/"+entry.Name())
	}
	require.NotEmpty(t, names)
	return names
}

// variants are overlays with a component that an operator may add.
var variants = map[string]string{
	"gateway": "resources: [%[1]s/overlays/embedded]\ncomponents: [%[1]s/components/gateway]\n",
	"gateway-tls": "resources: [%[1]s/overlays/postgres]\n" +
		"components: [%[1]s/components/gateway-tls, %[1]s/components/certificate]\n",
	"egress": "resources: [%[1]s/overlays/postgres]\n" +
		"components: [%[1]s/components/egress-otlp, %[1]s/components/egress-issuer, %[1]s/components/openshift]\n",
	"tls":     "resources: [%[1]s/overlays/postgres]\ncomponents: [%[1]s/components/tls]\n",
	"ingress": "resources: [%[1]s/overlays/embedded]\ncomponents: [%[1]s/components/ingress]\n",
	"spread": `resources: [%[1]s/overlays/drive]
patches:
  - target: {kind: PersistentVolumeClaim, name: results}
    patch: "- {op: replace, path: /spec/accessModes, value: [ReadWriteMany]}"
  - target: {kind: Job, name: drive}
    patch: "- {op: remove, path: /spec/template/spec/affinity/podAffinity}"
`,
	"backup-s3":  "resources: [%[1]s/overlays/embedded]\ncomponents: [%[1]s/components/backup-s3]\n",
	"restore-s3": "resources: [%[1]s/overlays/restore]\ncomponents: [%[1]s/components/backup-s3]\n",
	"load-tls":   "resources: [%[1]s/overlays/load]\ncomponents: [%[1]s/components/database-tls]\n",
	"keda":       "resources: [%[1]s/overlays/postgres]\ncomponents: [%[1]s/components/keda]\n",
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
	if known, ok := rendered[kustomization]; ok {
		return objects(t, known)
	}
	dir := variant(t, kustomization)
	all := render(t, dir)
	rendered[kustomization] = rendered[dir]
	return all
}

// variant writes a kustomization that uses the existing ones.
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

// requireGenerated requires that a file has a text. It writes the file first if an environment variable is set.
func requireGenerated(t testing.TB, variable, file, text string) {
	t.Helper()
	if os.Getenv(variable) != "" {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644)) //nolint:gosec // a file of the sources
	}
	require.Equal(t, text, testenv.Text(t, file),
		"%s: %s=1 go test ./deploy/k8s -run %s writes it", file, variable, t.Name())
}

// documented returns the part of docs/kubernetes.md between two texts.
func documented(t testing.TB, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(testenv.Text(t, "../../docs/kubernetes.md"), from)
	require.True(t, found, from)
	part, _, _ := strings.Cut(rest, to)
	return part
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

// named returns the entry of a list with the given name, or nil.
func named(all []any, name string) any {
	for _, v := range all {
		if text(v, "name") == name {
			return v
		}
	}
	return nil
}

// container returns the first container of the pods of a workload.
func (o object) container() any { return list(o.template(), "spec", "containers")[0] }

// template returns the pod template of a workload, or a Pod itself; nil for other objects.
func (o object) template() object {
	path := map[string][]string{
		"Deployment": {"spec", "template"}, "StatefulSet": {"spec", "template"}, "Job": {"spec", "template"},
		"CronJob": {"spec", "jobTemplate", "spec", "template"}, "Pod": {},
	}[o.kind()]
	if path == nil {
		return nil
	}
	if template, ok := at(o, path...).(map[string]any); ok {
		return template
	}
	return o
}

// find returns the object of a kind and name; generated names end with a hash.
func find(t testing.TB, all []object, kind, name string) object {
	t.Helper()
	for _, o := range all {
		if o.kind() == kind && (o.name() == name || strings.HasPrefix(o.name(), name+"-") && kind == "ConfigMap") {
			return o
		}
	}
	require.Failf(t, "it is not there", "%s %s", kind, name)
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

// kubectl accepts a repeated key without a warning.
func TestManifests_NoKeyTwice(t *testing.T) {
	var o any
	require.ErrorContains(t, yaml.Unmarshal([]byte("spec:\n  replicas: 1\n  replicas: 2\n"), &o), "already defined")

	files := 0
	for _, root := range []string{".", "../docker", "../helm/brokerage/files", "../postgres", "../../loadtest"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || ext != ".yaml" && ext != ".yml" {
				return err
			}
			files++
			for doc := range strings.SplitSeq(testenv.Text(t, path), "\n---\n") {
				var o any // a list is a patch
				require.NoError(t, yaml.Unmarshal([]byte(doc), &o), path)
			}
			return nil
		}))
	}
	require.Greater(t, files, 40)
}
