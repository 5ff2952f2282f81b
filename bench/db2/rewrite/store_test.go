package rewrite_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/bench/db2/rewrite"
	"brokerage/internal/store/db2"
)

var query = regexp.MustCompile(`BENCH\.XQ(_ATOM|_EXISTS)?\('`)

// Every statement of the store can be rewritten, and every query in it is in the part of Db2's documented dialect that
// the parser accepts: otherwise nobody would notice before the first run on a Db2.
func TestStore_Statements(t *testing.T) {
	c := rewrite.NewCatalogue()
	for _, ddl := range db2.DDL(db2.Box) {
		_, err := c.Rewrite(ddl)
		require.NoError(t, err, ddl)
	}
	files, err := filepath.Glob("../../../internal/store/db2/sql/*.sql")
	require.NoError(t, err)
	checked := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		if strings.HasPrefix(name, "schema_") {
			continue // scripts: the DDL
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			sql := strings.NewReplacer("$schema", "S", "$name", "N", "$file", "f.xsd").Replace(string(text))
			got, err := c.Rewrite(strings.TrimRight(sql, ";\n"))
			require.NoError(t, err)
			checked += len(query.FindAllString(got, -1))
		})
	}
	require.Greater(t, checked, 50, "the queries were not found")
}
