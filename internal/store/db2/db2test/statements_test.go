//go:build db2

package db2test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scripts are the store's statements, by the names of their files, each taken
// apart at the semicolons that end lines.
func scripts(t testing.TB, pattern string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "sql", pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := make(map[string][]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		for _, statement := range strings.Split(strings.TrimSpace(string(text))+"\n", ";\n") {
			if strings.TrimSpace(statement) != "" {
				all[name] = append(all[name], statement)
			}
		}
	}
	return all
}

// installed is a database with the store's schema.
func installed(t testing.TB) (*Bench, *sql.DB) {
	t.Helper()
	b := Start(t)
	db := connected(t, b)
	all := scripts(t, "schema_*.sql")
	for _, name := range []string{"schema_service", "schema_tuned", "schema_indexes"} {
		for _, statement := range all[name] {
			_, err := db.ExecContext(t.Context(), statement)
			require.NoError(t, err, statement)
		}
	}
	return b, db
}

// Every statement of the store can be prepared.
func TestStatements_Prepare(t *testing.T) {
	_, db := installed(t)
	for name, statements := range scripts(t, "*.sql") {
		if strings.HasPrefix(name, "schema_") || strings.HasPrefix(name, "configure_") || strings.Contains(statements[0], "CALL ") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			require.Len(t, statements, 1)
			prepared, err := db.PrepareContext(t.Context(), statements[0])
			require.NoError(t, err)
			require.NoError(t, prepared.Close())
		})
	}
}
