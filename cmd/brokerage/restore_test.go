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
		r := brokerage(t.Context(), "backup", "--db", c.of, "--out", file)
		require.Equal(t, exitOK, r.code, r.err)
		requireOneLine(t, brokerage(t.Context(), "restore", "--from", file, "--db", c.into, "--replace"), exitFailed,
			"backup")
		r = brokerage(t.Context(), "verify", "--db", c.into)
		require.Equal(t, exitOK, r.code, r.out+r.err)
		require.Contains(t, r.out, "2,000 orders")
	}
}
