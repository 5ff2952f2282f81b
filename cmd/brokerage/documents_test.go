package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// Every test that a document names exists. A name that ends with _* stands for at least one test.
func TestDocuments_TestsExist(t *testing.T) {
	documents := []string{"../../SECURITY.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/adr/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		documents = append(documents, found...)
	}
	tests := testNames(t)
	named := 0
	for _, document := range documents {
		for _, name := range regexp.MustCompile(`\bTest[A-Z]\w*\*?`).FindAllString(testenv.Text(t, document), -1) {
			prefix, group := strings.CutSuffix(name, "*")
			if !group {
				prefix += "\n"
			}
			if !strings.Contains(tests, "\n"+prefix) {
				t.Errorf("%s names %s, which does not exist", document, name)
			}
			named++
		}
	}
	require.Greater(t, named, 30)
}

// testNames returns the names of all tests of the repository, each on a line of its own.
func testNames(t *testing.T) string {
	t.Helper()
	names := new(strings.Builder)
	names.WriteByte('\n')
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(`).FindAllSubmatch(source, -1) {
			names.Write(append(match[1], '\n'))
		}
		return err
	}))
	return names.String()
}
