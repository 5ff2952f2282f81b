package sqlite

import (
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/testenv"
)

// A backup holds what was acknowledged before it began, and no half writes.
func TestBackup_WhileAnotherProcessWrites(t *testing.T) {
	testenv.Long(t)
	path, file := tinyDatabase(t), filepath.Join(t.TempDir(), "backup")
	w := startWriting(t, path)
	w.read(100)
	before := writing{orders: slices.Clone(w.orders), trades: maps.Clone(w.trades)}
	reports := 0
	m, written, err := BackupTo(t.Context(), path, file, false, func(done, total int64) {
		require.LessOrEqual(t, done, total)
		reports++
		w.read(40) // so that there are writes while pages are copied
	})
	require.NoError(t, err)
	require.NotZero(t, reports)
	require.Equal(t, tiny.Fingerprint(), m.Fingerprint)
	require.Equal(t, sizeOf(file), written)
	_, err = Restore(t.Context(), file, path, true, nil)
	require.ErrorContains(t, err, "is in use")
	w.kill()

	restored := filepath.Join(t.TempDir(), "restored.db")
	_, err = Restore(t.Context(), file, restored, false, nil)
	require.NoError(t, err)
	s := opened(t, restored, store.Options{})
	requireClean(t, s)
	before.requireKept(t, s)
}

// A backup can be read without this program.
func TestBackup_IsOrdinaryZstd(t *testing.T) {
	var b bytes.Buffer
	m, written, err := Backup(t.Context(), tinyStore(t).path, &b, nil)
	require.NoError(t, err)
	require.Equal(t, int64(b.Len()), written)
	require.WithinDuration(t, time.Now(), m.Time, time.Minute)

	unpacker, err := zstd.NewReader(&b)
	require.NoError(t, err)
	defer unpacker.Close()
	raw, err := io.ReadAll(unpacker)
	require.NoError(t, err)
	require.Len(t, raw, int(m.Bytes))
	require.Zero(t, m.Bytes%m.PageSize)
	path := filepath.Join(t.TempDir(), "b.db")
	writeFile(t, path, raw)
	findings, v := verified(t, path)
	require.Empty(t, findings)
	require.Equal(t, tiny.Count(dataset.Order), v.Documents[dataset.Order])
}

// An interruption leaves the old backup. Of two concurrent backups, neither touches the other's partial file.
func TestBackup_File(t *testing.T) {
	s := tinyStore(t)
	require.NoError(t, os.Chmod(s.path, 0o600))
	const old = "\x28\xB5\x2F\xFDthe one before\x5B\x2A\x4D\x18" // it has the marks of a backup, but no manifest
	dir := t.TempDir()
	file := filepath.Join(dir, "backup")
	writeFile(t, file, []byte(old))
	_, _, err := BackupTo(t.Context(), s.path, file, false, nil)
	require.ErrorContains(t, err, "exists already")
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err = BackupTo(ctx, s.path, file, true, func(int64, int64) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, map[string]string{"backup": old}, content(t, dir))

	_, written, err := BackupTo(t.Context(), s.path, file, true, func(int64, int64) {
		_, _, err := BackupTo(t.Context(), s.path, file, true, nil)
		require.NoError(t, err)
	})
	require.NoError(t, err)
	require.Equal(t, []string{"backup"}, entries(t, dir))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, written, info.Size())
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "who cannot read the database cannot read its backup")
	database, err := store.Find("sqlite:" + s.path)
	require.NoError(t, err)
	_, err = database.ReadManifest(file)
	require.NoError(t, err)
}

// A backup fails if another database gets the name meanwhile: the journal that was read may be of that database.
func TestBackup_DatabaseReplacedMeanwhile(t *testing.T) {
	path, other := tinyDatabase(t), tinyDatabase(t)
	_, _, err := Backup(t.Context(), path, io.Discard, func(int64, int64) { _ = os.Rename(other, path) })
	require.ErrorContains(t, err, "was replaced")
}
