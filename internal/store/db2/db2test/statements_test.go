//go:build db2

package db2test

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/db2"
)

var comments = regexp.MustCompile(`(?m)^--.*\n`)

// statement returns a statement of the store, without the comments before it.
func statement(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "sql", name+".sql"))
	require.NoError(t, err)
	return comments.ReplaceAllString(string(text), "")
}

var template struct {
	sync.Mutex
	bench *Bench
}

// installed returns a database with the store's schema.
func installed(t testing.TB) (*Bench, *sql.DB) {
	t.Helper()
	template.Lock()
	defer template.Unlock()
	if template.bench == nil {
		b := Start(t)
		db := connected(t, b)
		for _, text := range (db2.Options{Schema: "TPOX"}).DDL() {
			_, err := db.ExecContext(t.Context(), text)
			require.NoError(t, err, text)
		}
		template.bench = b
	}
	b := template.bench.Clone(t)
	return b, connected(t, b)
}
