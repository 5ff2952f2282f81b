package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// backedUp returns a folder with a database, brokerage.db, and a backup of it, backup.
func backedUp(t testing.TB) (dir string) {
	t.Helper()
	dir = tinyDB(t)
	r := brokerage(t.Context(), "backup", "--db", "sqlite:"+filepath.Join(dir, "brokerage.db"), "--out",
		filepath.Join(dir, "backup"))
	require.Equal(t, exitOK, r.code, r.err)
	require.Regexp(t,
		`backup: tpox-2/tiny/seed-1/v1/500-200-2000, [\d.]+ MB packed to [\d.]+ MB in [\d.]+ s \([\d.]+ [MG]B/s\)\n$`, r.out)
	return dir
}

func TestBackup(t *testing.T) {
	t.Parallel()
	dir := backedUp(t)
	db, file := "sqlite:"+filepath.Join(dir, "brokerage.db"), filepath.Join(dir, "backup")
	requireOneLine(t, brokerage(t.Context(), "backup", "--db", db, "--out", file), exitFailed,
		"exists already: --replace replaces it")
	r := brokerage(t.Context(), "backup", "--db", db, "--out", file, "--replace")
	require.Equal(t, exitOK, r.code, r.err)

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
	r := brokerage(t.Context(), "restore", "--from", file, "--db", "sqlite:"+db)
	require.Equal(t, exitOK, r.code, r.err)
	require.Regexp(t,
		`new.db: tpox-2/tiny/seed-1/v1/500-200-2000 of 20\d\d-[-\d:T]+Z, [\d.]+ MB in [\d.]+ s \([\d.]+ [MG]B/s\)\n$`, r.out)
	r = brokerage(t.Context(), "verify", "--db", "sqlite:"+db)
	require.Equal(t, exitOK, r.code, r.err)

	requireOneLine(t, brokerage(t.Context(), "restore", "--from", file, "--db", "sqlite:"+db), exitFailed,
		"exists already: --replace replaces it")
	r = brokerage(t.Context(), "restore", "--from", file, "--db", "sqlite:"+db, "--replace")
	require.Equal(t, exitOK, r.code, r.err)

	before, err := os.ReadFile(db)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	requireOneLine(t, brokerage(ctx, "restore", "--from", file, "--db", "sqlite:"+db, "--replace"), exitInterrupted,
		"interrupted")
	backup, err := os.ReadFile(file)
	require.NoError(t, err)
	backup[len(backup)/2] ^= 1
	require.NoError(t, os.WriteFile(file, backup, 0o666))
	requireOneLine(t, brokerage(t.Context(), "restore", "--from", file, "--db", "sqlite:"+db, "--replace"), exitFailed,
		"is damaged")
	after, err := os.ReadFile(db)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestRestore_FullDisk(t *testing.T) {
	t.Parallel()
	file := filepath.Join(backedUp(t), "backup")
	dir := testenv.SmallDisk(t, "1m")
	requireOneLine(t, brokerage(t.Context(), "restore", "--from", file, "--db", "sqlite:"+filepath.Join(dir, "b.db")),
		exitFailed, "MB free")
	require.Empty(t, names(t, dir))
}
