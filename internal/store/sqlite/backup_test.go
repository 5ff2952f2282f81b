package sqlite

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/archive"
)

// requireAnswered restores a backup, and compares it with what was answered before it was begun.
func requireAnswered(t testing.TB, d *dataset.Dataset, file string, orders []int64, trades map[int64]int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "restored.db")
	_, err := Restore(t.Context(), file, path, false, nil)
	require.NoError(t, err)
	findings, v := verified(t, path)
	require.Empty(t, findings)
	require.GreaterOrEqual(t, v.Documents[dataset.Order], d.Count(dataset.Order)+int64(len(orders)))
	s := opened(t, path, Options{})
	for _, id := range orders {
		got, err := s.GetOrder(t.Context(), brokerage.ID(id))
		require.NoError(t, err, "order %d was answered", id)
		require.Equal(t, string(brokerage.Order(order(d, id))), string(got))
	}
	for account, answered := range trades {
		requireWholeTrades(t, s, d, account, answered)
	}
}

func TestBackup_WhileWriting(t *testing.T) {
	d := generator(t, "tiny")
	s := tinyStore(t)
	a := newAnswers()
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	defer writers.Wait()
	defer stop()
	for i := range int64(8) {
		writers.Go(func() {
			account := d.AccountAt(i)
			for id := 10_000_000 + i; ctx.Err() == nil; id += 8 {
				// The store's own time-outs are none of this test's.
				if _, err := s.InsertOrder(context.WithoutCancel(ctx), now(), order(d, id)); err != nil {
					t.Errorf("order %d: %v", id, err)
					return
				}
				a.add("order", id)
				trade := brokerage.Trade{Side: brokerage.Buy, Symbol: d.Symbol(int(account) % 500), Quantity: "1", Now: time.Now()}
				if _, err := s.Trade(context.WithoutCancel(ctx), now(), brokerage.ID(account), trade); err != nil {
					t.Errorf("account %d: %v", account, err)
					return
				}
				a.add("trade", account)
			}
		})
	}
	for range 3 {
		file := filepath.Join(t.TempDir(), "backup")
		orders, trades := a.wait(50)
		reports := 0
		done, err := BackupTo(t.Context(), s.path, file, false, func(done, total int64) {
			require.LessOrEqual(t, done, total)
			reports++
			a.wait(20) // so there are writes between the pages
		})
		require.NoError(t, err)
		require.NotZero(t, reports)
		require.Equal(t, d.Fingerprint(), done.Fingerprint)
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, info.Size(), done.Written)
		requireAnswered(t, d, file, orders, trades)
	}
}

func TestBackup_WhileAnotherProcessWrites(t *testing.T) {
	d := generator(t, "tiny")
	path, file := tinyDatabase(t), filepath.Join(t.TempDir(), "backup")
	cmd, a := startVictim(t, path)
	orders, trades := a.wait(50)
	_, err := BackupTo(t.Context(), path, file, false, func(int64, int64) { a.wait(20) })
	require.NoError(t, err)
	_, err = Restore(t.Context(), file, path, true, nil)
	require.ErrorContains(t, err, "is in use")
	require.NoError(t, cmd.Process.Kill())
	requireAnswered(t, d, file, orders, trades)
}

// No program of ours is needed to read a backup.
func TestBackup_IsOrdinaryZstd(t *testing.T) {
	d := generator(t, "tiny")
	s := tinyStore(t)
	var b bytes.Buffer
	done, err := Backup(t.Context(), s.path, &b, nil)
	require.NoError(t, err)
	require.Equal(t, int64(b.Len()), done.Written)
	require.WithinDuration(t, time.Now(), done.Time, time.Minute)

	unpacker, err := zstd.NewReader(&b)
	require.NoError(t, err)
	defer unpacker.Close()
	raw, err := io.ReadAll(unpacker)
	require.NoError(t, err)
	require.Len(t, raw, int(done.Bytes))
	require.Zero(t, done.Bytes%done.PageSize)
	path := filepath.Join(t.TempDir(), "b.db")
	require.NoError(t, os.WriteFile(path, raw, 0o666))
	findings, v := verified(t, path)
	require.Empty(t, findings)
	require.Equal(t, d.Count(dataset.Order), v.Documents[dataset.Order])
}

func TestBackup_Refused(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		says    string
	}{
		"Missing": {func(*testing.T, string) {}, "no such file"},
		"Empty":   {func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, nil, 0o666)) }, "is empty"},
		"NotADatabase": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("text "), 1000), 0o666))
		}, "not a database of this program"},
		"Foreign": {func(t *testing.T, path string) { execute(t, path, "CREATE TABLE t (x)") }, "not of this program"},
		"Newer": {
			func(t *testing.T, path string) { emptyAt(t, path); execute(t, path, "PRAGMA user_version = 99") },
			"schema version 99",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, out := filepath.Join(t.TempDir(), "b.db"), t.TempDir()
			c.prepare(t, path)
			before, _ := os.ReadFile(path)
			_, err := BackupTo(t.Context(), path, filepath.Join(out, "backup"), false, nil)
			require.ErrorContains(t, err, c.says)
			require.Empty(t, entries(t, out))
			after, _ := os.ReadFile(path)
			require.Equal(t, before, after)
			if name == "Missing" {
				require.Empty(t, entries(t, filepath.Dir(path)))
			}
		})
	}
}

func TestBackup_File(t *testing.T) {
	s := tinyStore(t)
	require.NoError(t, os.Chmod(s.path, 0o600))
	setup := func(t *testing.T) (dir, file string) {
		t.Helper()
		dir = t.TempDir()
		file = filepath.Join(dir, "backup")
		require.NoError(t, os.WriteFile(file, []byte("the one before"), 0o666))
		return dir, file
	}
	requireBefore := func(t *testing.T, dir, file string) {
		t.Helper()
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "the one before", string(b))
		require.Equal(t, []string{"backup"}, entries(t, dir))
	}
	t.Run("There", func(t *testing.T) {
		dir, file := setup(t)
		_, err := BackupTo(t.Context(), s.path, file, false, nil)
		require.ErrorContains(t, err, "is there already")
		requireBefore(t, dir, file)
	})
	t.Run("Folder", func(t *testing.T) {
		dir := t.TempDir()
		_, err := BackupTo(t.Context(), s.path, dir, true, nil)
		require.ErrorContains(t, err, "is not a file")
	})
	t.Run("ComesMeanwhile", func(t *testing.T) {
		dir, file := setup(t)
		require.NoError(t, os.Remove(file))
		_, err := BackupTo(t.Context(), s.path, file, false, func(int64, int64) {
			require.NoError(t, os.WriteFile(file, []byte("the one before"), 0o666))
		})
		require.ErrorContains(t, err, "is there already")
		requireBefore(t, dir, file)
	})
	t.Run("Replaced", func(t *testing.T) {
		dir, file := setup(t)
		// What a killed backup left, longer than ours.
		require.NoError(t, os.WriteFile(archive.HalfName(file), make([]byte, 20<<20), 0o666))
		done, err := BackupTo(t.Context(), s.path, file, true, nil)
		require.NoError(t, err)
		require.Equal(t, []string{"backup"}, entries(t, dir))
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, done.Written, info.Size())
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "who cannot read the database cannot read its backup")
	})
	t.Run("Interrupted", func(t *testing.T) {
		dir, file := setup(t)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := BackupTo(ctx, s.path, file, true, func(int64, int64) { cancel() })
		require.ErrorIs(t, err, context.Canceled)
		requireBefore(t, dir, file)
	})
	t.Run("Twice", func(t *testing.T) {
		dir, file := setup(t)
		_, err := BackupTo(t.Context(), s.path, file, true, func(int64, int64) {
			_, err := BackupTo(t.Context(), s.path, file, true, nil)
			require.ErrorContains(t, err, "is being written by another")
		})
		require.NoError(t, err)
		require.Equal(t, []string{"backup"}, entries(t, dir))
		_, err = ReadManifest(file)
		require.NoError(t, err)
	})
}

// Another database under the name would be read with the journal of the first.
func TestBackup_DatabaseReplacedMeanwhile(t *testing.T) {
	path, other := tinyDatabase(t), tinyDatabase(t)
	_, err := Backup(t.Context(), path, io.Discard, func(int64, int64) { _ = os.Rename(other, path) })
	require.ErrorContains(t, err, "was replaced")
}
