package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// backedUp returns a folder with a database, brokerage.db, and a backup of it, backup.
func backedUp(t testing.TB) (dir string) {
	t.Helper()
	dir = tinyDB(t)
	r := succeeds(t, "backup", "--db", "sqlite:"+filepath.Join(dir, "brokerage.db"), "--out",
		filepath.Join(dir, "backup"))
	require.Regexp(t,
		`backup: tpox-2/tiny/seed-1/v1/500-200-2000 of database [0-9a-f]{32}, `+
			`[\d.]+ MB packed to [\d.]+ MB in [\d.]+ s \([\d.]+ [MG]B/s\)\n$`, r.out)
	return dir
}

func TestBackup(t *testing.T) {
	t.Parallel()
	dir := backedUp(t)
	db, file := "sqlite:"+filepath.Join(dir, "brokerage.db"), filepath.Join(dir, "backup")
	requireOneLine(t, brokerage(t.Context(), "backup", "--db", db, "--out", file), exitFailed,
		"exists already: --replace replaces it")
	succeeds(t, "backup", "--db", db, "--out", file, "--replace")

	out := t.TempDir()
	file = filepath.Join(out, "backup")
	requireOneLine(t, brokerage(t.Context(), "backup", "--db", "sqlite:"+filepath.Join(out, "b.db"), "--out", file),
		exitFailed, "no such file")
	requireOneLine(t, brokerage(t.Context(), "backup", "--db", db), exitUsage, "--out")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	requireOneLine(t, brokerage(ctx, "backup", "--db", db, "--out", file), exitInterrupted, "interrupted")
	require.Empty(t, names(t, out))
}

func TestRestore(t *testing.T) {
	t.Parallel()
	dir := backedUp(t)
	file, db := filepath.Join(dir, "backup"), filepath.Join(t.TempDir(), "new.db")
	r := succeeds(t, "restore", "--from", file, "--db", "sqlite:"+db)
	require.Regexp(t,
		`new.db: tpox-2/tiny/seed-1/v1/500-200-2000 of database [0-9a-f]{32} `+
			`at 20\d\d-[-\d:T]+Z, [\d.]+ MB in [\d.]+ s \([\d.]+ [MG]B/s\)\n$`, r.out)
	of := func(text string) string { return regexp.MustCompile("database [0-9a-f]{32}").FindString(text) }
	require.Equal(t, of(r.out), of(succeeds(t, "verify", "--db", "sqlite:"+db).out))

	requireOneLine(t, brokerage(t.Context(), "restore", "--from", file, "--db", "sqlite:"+db), exitFailed,
		"exists already: --replace replaces it")
	succeeds(t, "restore", "--from", file, "--db", "sqlite:"+db, "--replace")

	before := testenv.Text(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	requireOneLine(t, brokerage(ctx, "restore", "--from", file, "--db", "sqlite:"+db, "--replace"), exitInterrupted,
		"interrupted")
	backup := []byte(testenv.Text(t, file))
	backup[len(backup)/2] ^= 1
	require.NoError(t, os.WriteFile(file, backup, 0o666))
	requireOneLine(t, brokerage(t.Context(), "restore", "--from", file, "--db", "sqlite:"+db, "--replace"), exitFailed,
		"is damaged")
	require.Equal(t, before, testenv.Text(t, db))
}
