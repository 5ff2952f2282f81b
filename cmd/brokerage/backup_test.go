package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/testenv"
)

// A restored database keeps its identity. An interrupted backup or restore changes no file and leaves none.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir, out := tinyDB(t), t.TempDir()
	db, file := "sqlite:"+filepath.Join(dir, "brokerage.db"), filepath.Join(out, "backup")
	made := filepath.Join(dir, "new.db")
	r := succeeds(t, "backup", "--db", db, "--out", file)
	require.Regexp(t,
		`backup: tpox-2/tiny/seed-1/v1/500-200-2000 of database [0-9a-f]{32}, `+
			`[\d.]+ MB packed to [\d.]+ MB in [\d.]+ s \([\d.]+ [kMG]B/s\)\n$`, r.out)
	succeeds(t, "backup", "--db", db, "--out", file, "--replace")

	restore := []string{"restore", "--from", file, "--db", "sqlite:" + made}
	r = succeeds(t, restore...)
	require.Regexp(t,
		`new.db: tpox-2/tiny/seed-1/v1/500-200-2000 of database [0-9a-f]{32} `+
			`at 20\d\d-[-\d:T]+Z, [\d.]+ MB in [\d.]+ s \([\d.]+ [kMG]B/s\)\n$`, r.out)
	of := func(text string) string { return regexp.MustCompile("database [0-9a-f]{32}").FindString(text) }
	require.Equal(t, of(r.out), of(succeeds(t, "verify", "--db", "sqlite:"+made).out))
	requireOneLine(t, brokerage(t.Context(), restore...), exitFailed, "exists already: see --replace")
	restore = append(restore, "--replace")
	succeeds(t, restore...)

	before := testenv.Text(t, made)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	requireOneLine(t, brokerage(ctx, restore...), exitInterrupted, "interrupted")
	require.Equal(t, before, testenv.Text(t, made))
	requireOneLine(t, brokerage(ctx, "backup", "--db", db, "--out", filepath.Join(out, "other")), exitInterrupted,
		"interrupted")
	require.Equal(t, []string{"backup"}, names(t, out))
}

// With --keep, the newest backups of a database stay and older ones are removed. Those of another database are never
// removed or replaced; restore refuses a folder that holds backups of both.
func TestBackup_Keep(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	db, folder := "sqlite:"+filepath.Join(tinyDB(t), "brokerage.db"), t.TempDir()
	var kept []string
	for range 3 {
		succeeds(t, "backup", "--db", db, "--out", folder, "--keep", "2")
		require.Regexp(t, `^brokerage-20\d{6}T\d{6}Z\.bak$`, names(t, folder)[0])
		kept = append(kept, names(t, folder)[len(names(t, folder))-1])
		time.Sleep(1100 * time.Millisecond) // the time in a name is in seconds
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
}

// plantBackup writes a file that looks like a backup of the year 2099 until it is unpacked.
func plantBackup(t testing.TB, file, identity string) {
	t.Helper()
	var b bytes.Buffer
	m := store.Manifest{Format: store.BackupFormat, Schema: store.SchemaVersion, Identity: identity, Engine: "sqlite",
		Time: time.Date(2099, time.January, 1, 0, 0, 0, 0, time.UTC), Bytes: 1}
	require.NoError(t, m.Seal(store.NewDigest(&b)))
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
}

// With --keep, backups with later names, as after a clock was set back, are ignored, and the backup just written
// stays. Files with other names are left alone, and so is a folder that the given name matches as a pattern.
func TestBackup_KeepLater(t *testing.T) {
	t.Parallel()
	db, above := "sqlite:"+filepath.Join(tinyDB(t), "brokerage.db"), t.TempDir()
	folder, other := filepath.Join(above, "[a]"), filepath.Join(above, "a")
	identity := regexp.MustCompile("[0-9a-f]{32}").FindString(succeeds(t, "verify", "--db", db).out)
	var left []string
	for _, file := range []string{"[a]/brokerage-2000.bak", "[a]/brokerage-20990101T000000Z.bak",
		"[a]/brokerage-20990101T000000Z.old.bak", "a/brokerage-20000101T000000Z.bak", "a/brokerage-20990101T000000Z.bak"} {
		left = append(left, filepath.Join(above, file))
	}
	require.NoError(t, errors.Join(os.Mkdir(folder, 0o700), os.Mkdir(other, 0o700)))
	for _, file := range append(left, filepath.Join(folder, "brokerage-20000101T000000Z.bak")) {
		plantBackup(t, file, identity)
	}
	require.NoError(t, os.Symlink(left[3], filepath.Join(folder, "brokerage-20000102T000000Z.bak")))
	r := succeeds(t, "backup", "--db", db, "--out", folder, "--keep", "1")
	file, _, _ := strings.Cut(r.out, ": ")
	require.FileExists(t, file)
	for _, file := range left {
		require.FileExists(t, file)
	}
	require.Len(t, names(t, folder), 5, "three, the link, and the one just written")
	require.Contains(t, r.out, "removed "+filepath.Join(folder, "brokerage-20000101T000000Z.bak"))
}

// A complete backup of one store is refused by the other, which leaves its database untouched.
func TestRestore_OtherStore(t *testing.T) {
	testenv.Long(t)
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
