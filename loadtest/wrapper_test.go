package loadtest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

// The k6 on the PATH is used from version 1 on. Otherwise Go builds one, once.
func TestWrapper(t *testing.T) {
	shell := testenv.Command(t, "sh")
	bin, cache := t.TempDir(), t.TempDir()
	program := func(name, text string) {
		err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755) //nolint:gosec // a program
		require.NoError(t, err)
	}
	const show = `echo "$LOADTEST_K6 $GOGC $*"`
	program("go", "case $1 in env) echo "+cache+";; "+
		"install) printf '#!/bin/sh\\n%s\\n' '"+show+"' >$GOBIN/k6; chmod +x $GOBIN/k6;; esac\n")
	pinned := regexp.MustCompile(`version=(v[0-9.]+)`).FindStringSubmatch(testenv.Text(t, "k6"))[1]
	for _, c := range []struct{ version, want, built string }{
		{"k6 v1.8.1 (go1.25)", "v1.8.1 400 run a.js\n", ""},
		{"k6 v2.2.0 (go1.26)", "v2.2.0 400 run a.js\n", ""},
		{"k6 v0.57.0 (go1.22)", pinned + " 400 run a.js\n", "building k6 " + pinned},
		{"none", pinned + " 400 run a.js\n", ""},
	} {
		program("k6", "case $1 in version) echo '"+c.version+"';; *) "+show+";; esac\n")
		cmd := exec.CommandContext(t.Context(), shell, "./k6", "run", "a.js")
		cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin"}
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		require.NoError(t, err, said.String())
		require.Equal(t, c.want, string(out), c.version)
		require.Equal(t, c.built != "", strings.Contains(said.String(), "building k6"), said.String())
		require.Contains(t, said.String(), c.built)
	}
}

// The script cannot list folders, so it repeats the names of the workloads. It separates the parts of templates by
// line breaks. The kustomization has all of lib.
func TestFiles(t *testing.T) {
	libraries, err := filepath.Glob("lib/*.js")
	require.NoError(t, err)
	for _, library := range libraries {
		require.Contains(t, testenv.Text(t, "kustomization.yaml"), library)
	}
	for _, name := range workload.Names {
		require.Contains(t, testenv.Text(t, "lib/workload.js"), "'"+name+"'")
	}
	for _, kind := range []string{"order", "customer", "account"} {
		var file struct{ Templates [][]string }
		text := testenv.Text(t, filepath.Join("templates", kind+".templates.json"))
		require.NoError(t, json.Unmarshal([]byte(text), &file))
		require.NotContains(t, strings.Join(slices.Concat(file.Templates...), ""), "\n")
	}
}
