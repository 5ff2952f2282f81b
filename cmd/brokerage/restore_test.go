package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A complete backup of one store is refused by the other, which leaves its database untouched.
func TestRestore_OtherStore(t *testing.T) {
	t.Parallel()
	folder := tinyDB(t)
	embedded := "sqlite:" + filepath.Join(folder, "brokerage.db")
	server, database := tinyPostgres(t)
	url := server.URL(database)
	for _, c := range []struct{ of, into string }{{embedded, url}, {url, embedded}} {
		file := filepath.Join(t.TempDir(), "b.bak")
		succeeds(t, "backup", "--db", c.of, "--out", file)
		requireOneLine(t, brokerage(t.Context(), "restore", "--from", file, "--db", c.into, "--replace"), exitFailed,
			"backup")
		r := succeeds(t, "verify", "--db", c.into)
		require.Contains(t, r.out, "2,000 orders")
	}
}
