package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/output"
	"brokerage/internal/store"
	"brokerage/internal/testenv"
)

// backupVictim and restoreVictim back up or restore from args[0] to args[1], and wait to be killed at the progress in
// args[2], in per cent.
func backupVictim(args []string) error {
	_, _, err := BackupTo(context.Background(), args[0], args[1], true, waitAt(args[2]))
	return err
}

func restoreVictim(args []string) error {
	_, err := Restore(context.Background(), args[0], args[1], true, waitAt(args[2]))
	return err
}

func waitAt(text string) byteProgress {
	share, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	fmt.Println("begun")
	return func(done, total int64) {
		if done*100 >= share*total {
			fmt.Println("here")
			select {}
		}
	}
}

// halvesOf returns the names of incomplete files that killed processes have left of a file.
func halvesOf(t testing.TB, path string) (names []string) {
	t.Helper()
	for _, name := range entries(t, filepath.Dir(path)) {
		if whole, half := output.HalfOf(name); half && whole == filepath.Base(path) {
			names = append(names, name)
		}
	}
	return names
}

// killAtEach runs a victim again and again, kills it at known points and at random moments, and calls check(to) after
// each kill. It returns how often an incomplete file was left.
func killAtEach(
	t *testing.T, what string, within time.Duration, paths func() (from, to string), check func(to string),
) (halves int) {
	t.Helper()
	const random, never = 20, "101" // per cent
	for _, share := range append([]string{"1", "50", "75", "90"}, slices.Repeat([]string{never}, random)...) {
		from, to := paths()
		before := len(halvesOf(t, to))
		v := startVictim(t, what, from, to, share)
		v.requireLine(t, "begun")
		if share == never {
			time.Sleep(time.Duration(rand.Int64N(int64(within))))
		} else {
			v.requireLine(t, "here")
		}
		v.kill()
		halves += len(halvesOf(t, to)) - before
		check(to)
	}
	return halves
}

// A backup that is killed at any moment leaves the previous backup or a complete new one.
func TestBackup_Killed(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	path, dir := tinyDatabase(t), t.TempDir()
	file := filepath.Join(dir, "backup")
	_, _, err := BackupTo(t.Context(), path, file, false, nil)
	require.NoError(t, err)
	before := readFile(t, file)
	halves := killAtEach(t, "backup", 100*time.Millisecond, func() (from, to string) {
		writeFile(t, file, before)
		return path, file
	}, func(string) {
		_, err := Restore(t.Context(), file, filepath.Join(t.TempDir(), "b.db"), false, nil)
		require.NoError(t, err)
	})
	require.GreaterOrEqual(t, halves, 4, "the known points are in the middle")
	_, _, err = BackupTo(t.Context(), path, file, true, nil)
	require.NoError(t, err)
	require.Len(t, entries(t, dir), 1+len(halvesOf(t, file)))
}

// A restore that is killed at any moment leaves the old database, journal included, or the new one. A complete
// restore leaves nothing of the journal, which would destroy the new database.
func TestRestore_Killed(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	original, file := tinyDatabase(t), filepath.Join(t.TempDir(), "backup")
	_, _, err := BackupTo(t.Context(), original, file, false, nil)
	require.NoError(t, err)
	w := startWriting(t, original)
	w.read(200)
	w.kill()
	require.NotZero(t, sizeOf(original+"-wal"))
	copied := func() (from, to string) {
		path := filepath.Join(t.TempDir(), "b.db")
		for _, suffix := range []string{"", "-wal"} {
			writeFile(t, path+suffix, readFile(t, original+suffix))
		}
		return file, path
	}
	// restored reports whether a database is the one of the backup. Otherwise it requires the old one.
	restored := func(path string) bool {
		s := opened(t, path, store.Options{})
		defer func() { require.NoError(t, s.Close()) }()
		findings, v := findingsOf(t, s)
		require.Empty(t, findings)
		if v.Documents == [...]int64{500, 200, 2000} {
			return true
		}
		w.requireKept(t, s)
		return false
	}
	halves := killAtEach(t, "restore", 80*time.Millisecond, copied, func(path string) { restored(path) })
	require.GreaterOrEqual(t, halves, 2, "two of the known points are in the middle")
	_, path := copied()
	_, err = Restore(t.Context(), file, path, true, nil)
	require.NoError(t, err)
	require.NoFileExists(t, path+"-wal")
	require.True(t, restored(path))

	// This is the state just before the rename, which random kills may miss.
	require.NoError(t, settle(t.Context(), original))
	require.NoFileExists(t, original+"-wal")
	require.False(t, restored(original))
}
