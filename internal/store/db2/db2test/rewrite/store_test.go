package rewrite_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/db2/db2test/rewrite"
	"brokerage/internal/store/db2/db2test/xquery"
)

var comments = regexp.MustCompile(`(?m)^--.*\n`)

// The XQuery in the store's statements is in Db2's documented dialect, as package
// xquery takes it. The bench checks the same, but needs a JDK.
func TestStore_Queries(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "sql", "*.sql"))
	require.NoError(t, err)
	checked := 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			queries, err := rewrite.Queries(comments.ReplaceAllString(string(text), ""))
			require.NoError(t, err)
			for _, q := range queries {
				_, err := xquery.Parse(q)
				require.NoError(t, err, q)
			}
			checked += len(queries)
		})
	}
	require.Greater(t, checked, 40, "the queries were not found")
}
