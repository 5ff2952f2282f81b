package k8s_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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

// rendered caches the texts of kustomizations: rendering takes a second.
var rendered sync.Map

// render returns the objects of a kustomization.
func render(t testing.TB, dir string) []object {
	t.Helper()
	if known, ok := rendered.Load(dir); ok {
		return objects(t, known.(string)) //nolint:forcetypeassert // nothing else is put there
	}
	kubectl, err := kubectlOf()
	if absent := (missing{}); errors.As(err, &absent) {
		testenv.Missing(t, need, absent.Error())
	}
	cmd := exec.CommandContext(t.Context(), kubectl, "kustomize", dir)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "%s: %s", dir, errs.String())
	require.Empty(t, errs.String(), dir) // warnings announce what will not work in the next version
	rendered.Store(dir, out.String())
	return objects(t, out.String())
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
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			files++
			for doc := range strings.SplitSeq(string(content), "\n---\n") {
				var o any // a list is a patch
				require.NoError(t, yaml.Unmarshal([]byte(doc), &o), path)
			}
			return nil
		}))
	}
	require.Greater(t, files, 40)
}

func TestManifests_Render(t *testing.T) {
	for _, overlay := range overlays(t) {
		t.Run(filepath.Base(overlay), func(t *testing.T) { require.NotEmpty(t, render(t, overlay)) })
	}
	for name, kustomization := range variants {
		t.Run(name, func(t *testing.T) { require.NotEmpty(t, render(t, variant(t, kustomization))) })
	}
}
