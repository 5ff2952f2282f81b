// Package testenv provides what tests need from outside of the project. Where it is missing they are skipped with the
// reason, or fail where it is required.
package testenv

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Missing skips a test whose need is not met, or fails it if BROKERAGE_TEST_REQUIRE, a comma-separated list, names
// the need.
func Missing(t testing.TB, need, reason string) {
	t.Helper()
	if Required(need) {
		t.Fatalf("%s, but BROKERAGE_TEST_REQUIRE requires %s", reason, need)
	}
	t.Skip(reason)
}

// Required reports whether BROKERAGE_TEST_REQUIRE names a need.
func Required(need string) bool {
	return slices.Contains(strings.Split(os.Getenv("BROKERAGE_TEST_REQUIRE"), ","), need)
}

// Long skips a test with -short, which `make test` sets, to be fast; `make test-all` runs the test, too.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long test: make test-all runs it")
	}
}

// Parallel lets twice as many tests run in parallel as there are processors, for a package whose parallel tests wait:
// for the disk, for other processes, or for time to pass. TestMain calls it.
func Parallel() {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err) // package testing has the flag
	}
}

// Kit returns the folder with schemas and samples of the TPoX kit, which is not part of this project.
func Kit(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TPOX_KIT")
	if dir == "" {
		Missing(t, "kit", "TPOX_KIT does not name a folder with the TPoX kit")
	}
	require.FileExists(t, filepath.Join(dir, "custacc.xsd"), "TPOX_KIT")
	return dir
}

// Command returns the path of a program. Without it, see Missing.
func Command(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name, name+" is not installed")
	}
	return path
}

// Text returns the content of a file.
func Text(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

// File writes a file in a folder of its own, and returns its path.
func File(t testing.TB, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
