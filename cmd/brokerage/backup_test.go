package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

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

// With --keep, the last backups of a database stay and older ones go; those of another database are never removed or
// replaced, and do not pass for the newest.
func TestBackup_Keep(t *testing.T) {
	t.Parallel()
	db, folder := "sqlite:"+filepath.Join(tinyDB(t), "brokerage.db"), t.TempDir()
	var kept []string
	for range 3 {
		succeeds(t, "backup", "--db", db, "--out", folder, "--keep", "2")
		require.Regexp(t, `^brokerage-20\d{6}T\d{6}Z\.bak$`, names(t, folder)[0])
		kept = append(kept, names(t, folder)[len(names(t, folder))-1])
		time.Sleep(1100 * time.Millisecond) // the names have seconds
	}
	require.Equal(t, kept[1:], names(t, folder))

	other := "sqlite:" + filepath.Join(t.TempDir(), "other.db")
	succeeds(t, "load", "--db", other)
	succeeds(t, "backup", "--db", other, "--out", folder, "--keep", "1")
	require.Len(t, names(t, folder), 3)
	requireOneLine(t, brokerage(t.Context(), "restore", "--from", folder, "--db", other, "--replace"), exitFailed,
		"backups of several databases")
	file := filepath.Join(folder, kept[2])
	before := testenv.Text(t, file)
	requireOneLine(t, brokerage(t.Context(), "backup", "--db", other, "--out", file, "--replace"), exitFailed,
		"is a backup of database")
	require.Equal(t, before, testenv.Text(t, file))
	requireOneLine(t, brokerage(t.Context(), "restore", "--from", t.TempDir(), "--db", other), exitFailed, "has no backup")
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
