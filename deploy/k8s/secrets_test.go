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

// build builds the program of this source into a folder.
func build(t testing.TB, folder string) {
	t.Helper()
	s := call(exec.CommandContext(t.Context(), "go", "build", "-o", folder, "../../cmd/brokerage"))
	require.NoError(t, s.failed, s.err)
}

// secrets runs the script with the programs of a folder, and returns what it prints.
func (c *cluster) secrets(t testing.TB, bin, namespace string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testenv.Command(t, "bash"),
		"./secrets", "--kubeconfig", c.config, "--namespace", namespace)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	s := call(cmd)
	require.NoError(t, s.failed, s.err)
	return s.out
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

// Run again, the script changes no password and no token, and a Secret that was lost fits to the others again.
func TestSecrets_Twice(t *testing.T) {
	c := requireCluster(t)
	namespace := c.namespace(t, "restricted")
	bin := t.TempDir()
	build(t, bin)
	require.NoError(t, os.Symlink(c.kubectl, filepath.Join(bin, "kubectl")))
	again := func() map[string]map[string]string {
		t.Helper()
		c.must(t, c.secrets(t, bin, namespace), "apply", "-n", namespace, "-f", "-")
		return c.stored(t, namespace)
	}
	first := again()
	require.Len(t, first, 5)
	require.Equal(t, "*:*:*:brokerage_owner:"+first["brokerage-postgres"]["owner-password"],
		first["brokerage-database-owner"]["pgpass"])
	require.Equal(t, first, again())

	for _, lost := range []string{"brokerage-database-owner", "brokerage-database"} {
		c.must(t, "", "delete", "secret", lost, "-n", namespace)
	}
	require.Equal(t, first, again())

	c.must(t, "", "delete", "secret", "brokerage-postgres", "-n", namespace)
	then := again()
	for _, key := range []string{"owner-password", "service-password"} {
		require.Equal(t, first["brokerage-postgres"][key], then["brokerage-postgres"][key])
	}

	// The token of another client stays when that of the load generator has to be replaced.
	file := testenv.File(t, "tokens", first["brokerage-tokens"]["tokens"])
	_, err := access.Add(file, access.Client{Name: "other", Scopes: []access.Scope{access.Read}})
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
