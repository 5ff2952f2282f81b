package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
	"brokerage/internal/store"
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

// killAtEach runs a victim again and again, kills it at known points and at random moments, and calls check after each.
// It returns how often an incomplete file was left.
func killAtEach(
	t *testing.T, what string, within time.Duration, paths func() (from, to string), check func(to string),
) (halves int) {
	t.Helper()
	random := 20
	if testing.Short() {
		random = 5
	}
	for i := range 4 + random {
		from, to := paths()
		before := len(halvesOf(t, to))
		share := 101 // is never reached
		if i < 4 {
			share = [...]int{1, 50, 75, 90}[i]
		}
		v := startVictim(t, what, from, to, strconv.Itoa(share))
		v.requireLine(t, "begun")
		if i < 4 {
			v.requireLine(t, "here")
		} else {
			time.Sleep(time.Duration(rand.Int64N(int64(within))))
		}
		v.kill()
		if len(halvesOf(t, to)) > before {
			halves++
		}
		check(to)
	}
	return halves
}

// A backup that is killed at any moment leaves the previous backup or a complete new one.
func TestBackup_Killed(t *testing.T) {
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

// A restore that is killed at any moment leaves the old database, journal included, or the new one.
func TestRestore_Killed(t *testing.T) {
	t.Parallel()
	original, file := tinyDatabase(t), filepath.Join(t.TempDir(), "backup")
	_, _, err := BackupTo(t.Context(), original, file, false, nil)
	require.NoError(t, err)
	orders := killedWhileWriting(t, original)
	halves := killAtEach(t, "restore", 80*time.Millisecond, func() (from, to string) {
		path := filepath.Join(t.TempDir(), "b.db")
		for _, suffix := range []string{"", "-wal"} {
			writeFile(t, path+suffix, readFile(t, original+suffix))
		}
		return file, path
	}, func(path string) { requireEither(t, path, orders) })
	require.GreaterOrEqual(t, halves, 2, "two of the known points are in the middle")

	// The moment before the rename, which random kills may miss.
	require.NoError(t, settle(t.Context(), original))
	require.NoFileExists(t, original+"-wal")
	require.False(t, requireEither(t, original, orders))
}

// A journal that a killed process left belongs to the old database: applied to the new one, it would destroy it.
func TestRestore_OverAJournal(t *testing.T) {
	path, file := tinyDatabase(t), filepath.Join(t.TempDir(), "backup")
	_, _, err := BackupTo(t.Context(), path, file, false, nil)
	require.NoError(t, err)
	killedWhileWriting(t, path)

	_, err = Restore(t.Context(), file, path, true, nil)
	require.NoError(t, err)
	require.NoFileExists(t, path+"-wal")
	findings, v := verified(t, path)
	require.Empty(t, findings)
	require.Equal(t, [...]int64{500, 200, 2000}, v.Documents, "nothing of the old one")
}

// killedWhileWriting leaves a database with a journal, and returns orders that are only in it.
func killedWhileWriting(t testing.TB, path string) []int64 {
	t.Helper()
	v, a := startWriting(t, path)
	orders, _ := a.wait(100)
	v.kill()
	require.NotZero(t, sizeOf(path+"-wal"))
	return orders
}

// requireEither finds the old database with all orders, or the dataset as it was loaded.
func requireEither(t testing.TB, path string, orders []int64) (restored bool) {
	t.Helper()
	s := opened(t, path, store.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	findings, v := findingsOf(t, s)
	require.Empty(t, findings)
	if v.Documents[dataset.Order] == tiny.Count(dataset.Order) {
		return true
	}
	for _, id := range orders {
		requireOrder(t, s, id)
	}
	return false
}
