package k8s_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/testenv"
)

// script runs a script of this folder with the tests' kubectl, and returns what it prints.
func (c *cluster) script(t testing.TB, name string, args ...string) said {
	t.Helper()
	bin := t.TempDir()
	require.NoError(t, os.Symlink(c.kubectl, filepath.Join(bin, "kubectl")))
	cmd := exec.CommandContext(t.Context(), testenv.Command(t, "bash"), append([]string{"./" + name}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "KUBECONFIG="+c.config)
	return call(cmd)
}

// stored returns the values of all Secrets of a namespace.
func (c *cluster) stored(t testing.TB, namespace string) map[string]map[string]string {
	t.Helper()
	var all struct {
		Items []struct {
			Metadata struct{ Name string }
			Data     map[string][]byte
		}
	}
	text := c.must(t, "", "get", "secrets", "-n", namespace, "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(text), &all))
	values := make(map[string]map[string]string)
	for _, item := range all.Items {
		values[item.Metadata.Name] = make(map[string]string)
		for key, value := range item.Data {
			values[item.Metadata.Name][key] = string(value)
		}
	}
	return values
}

// A second run of secrets changes no password and no token, and makes a lost Secret again so that it fits the others.
func TestSecrets_Twice(t *testing.T) {
	c := requireCluster(t)
	namespace := c.namespace(t)
	again := func() map[string]map[string]string {
		t.Helper()
		s := c.script(t, "secrets", "--namespace", namespace)
		require.NoError(t, s.failed, s.err)
		c.must(t, s.out, "apply", "-n", namespace, "-f", "-")
		return c.stored(t, namespace)
	}
	first := again()
	require.Len(t, first, 5)
	tokens, err := access.Load(testenv.File(t, "first", first["brokerage-tokens"]["tokens"]))
	require.NoError(t, err)
	client, known := tokens.Client(t.Context(), "Bearer "+first["brokerage-loadtest"]["token"])
	require.True(t, known)
	require.Equal(t, "loadtest", client.Name)
	require.Equal(t, "*:*:*:brokerage_owner:"+first["brokerage-postgres"]["owner-password"],
		first["brokerage-database-owner"]["pgpass"])
	require.Equal(t, first, again())

	for _, lost := range []string{"brokerage-database-owner", "brokerage-database"} {
		c.must(t, "", "delete", "secret", lost, "-n", namespace)
	}
	require.Equal(t, first, again())

	// The token of another client stays when that of the load generator has to be replaced.
	file := testenv.File(t, "tokens", first["brokerage-tokens"]["tokens"])
	_, err = access.Add(file, access.Client{Name: "other", Scopes: []access.Scope{access.Read}})
	require.NoError(t, err)
	lines := testenv.Text(t, file)
	patch, err := json.Marshal(map[string]any{"stringData": map[string]string{"tokens": lines}})
	require.NoError(t, err)
	c.must(t, "", "patch", "secret", "brokerage-tokens", "-n", namespace, "--type=merge", "-p", string(patch))
	require.Equal(t, strings.TrimSpace(lines), strings.TrimSpace(again()["brokerage-tokens"]["tokens"]))
	c.must(t, "", "delete", "secret", "brokerage-loadtest", "-n", namespace)
	last := again()
	require.NotEqual(t, first["brokerage-loadtest"]["token"], last["brokerage-loadtest"]["token"])
	require.NoError(t, os.WriteFile(file, []byte(last["brokerage-tokens"]["tokens"]), 0o600))
	_, err = access.Load(file)
	require.NoError(t, err)
	require.Contains(t, last["brokerage-tokens"]["tokens"], "other:read:")
	require.Equal(t, 1, strings.Count(last["brokerage-tokens"]["tokens"], "loadtest:"))
}

// With --dry-run, install prints these steps, with the given image for all containers but PostgreSQL's. A placeholder
// that was not replaced is refused by its name, and nothing is loaded if the namespace has had a database.
func TestInstall(t *testing.T) {
	c := requireCluster(t)
	const image = "registry.test/team/brokerage@sha256:0123"
	for overlay, steps := range map[string][]string{
		"embedded": {"secrets --tokens", "apply --server-side -f load.yaml", "apply --server-side -f overlay.yaml",
			"rollout status statefulset/brokerage"},
		"postgres": {"secrets --namespace", "delete job brokerage-migrate", "apply --server-side -f overlay.yaml",
			"wait --for=condition=complete job/brokerage-migrate", "apply --server-side -f load.yaml",
			"rollout status deployment/brokerage"},
	} {
		s := c.script(t, "install", "--image", image, "--overlay", overlay, "--dry-run")
		require.NoError(t, s.failed, s.err)
		rest := s.err
		for _, step := range steps {
			_, after, found := strings.Cut(rest, step)
			require.True(t, found, "%s: %s", step, s.err)
			rest = after
		}
		for _, o := range objects(t, s.out) {
			for _, container := range o.containers() {
				if name := text(container, "image"); !strings.Contains(name, "postgres:") {
					require.Equal(t, image, name)
				}
			}
		}
	}
	namespace := c.namespace(t)
	c.must(t, "", "create", "configmap", "brokerage-database", "--from-literal=identity=0a1b", "-n", namespace)
	for says, args := range map[string][]string{
		"db2.example.com":         {"--image", image, "--overlay", "db2", "--dry-run"},
		"brokerage.example.com":   {"--image", image, "--with", "gateway", "--dry-run"},
		"has had database 0a1b":   {"--image", image, "--namespace", namespace, "--data", "tiny"},
		"an image with a tag":     {"--image", "brokerage"},
		"--overlay none is":       {"--image", image, "--overlay", "none"},
		"unknown argument --imag": {"--imag", image},
	} {
		s := c.script(t, "install", args...)
		require.Error(t, s.failed, says)
		require.Contains(t, s.err, says)
	}
	require.Empty(t, c.stored(t, namespace), "nothing was made")
}
