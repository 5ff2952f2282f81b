// Package docs_test compares docs/dependencies.md with the modules that are compiled, and measures what they cost.
package docs_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// The modules of the binary are those that docs/dependencies.md lists: a dependency that brings more than before is
// noticed. A stand-in (decision 0032) is listed with its folder, so that its loss is noticed too.
func TestDependencies_Compiled(t *testing.T) {
	_, section, ok := strings.Cut(testenv.Text(t, "dependencies.md"), "\n## What they cost\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\|.*`).FindAllString(section, -1) {
		for _, name := range regexp.MustCompile("`([^` ]+\\.[^` ]+/.*?)`").FindAllStringSubmatch(row, -1) {
			require.False(t, listed[name[1]], "%s is listed twice", name[1])
			listed[name[1]] = true
		}
	}
	require.Greater(t, len(listed), 10)
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
		`{{with .Module}}{{if not .Main}}{{.Path}}{{with .Replace}} => {{.Path}}{{end}}{{end}}{{end}}`, "./cmd/brokerage")
	list.Dir = ".."
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	compiled := map[string]bool{}
	for module := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		compiled[module] = true
	}
	for module := range compiled {
		if module != "" && !listed[module] {
			t.Errorf("%s is compiled into the binary, and docs/dependencies.md does not say what it costs: make compile-time",
				module)
		}
	}
	for module := range listed {
		if !compiled[module] {
			t.Errorf("docs/dependencies.md lists %s, which is not compiled into the binary", module)
		}
	}
}
