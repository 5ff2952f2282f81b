package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/archive"
)

// backupVictim makes the test binary a process that backs up or restores: what (backup, restore), from, to, and the
// share of the progress, in per cent, at which it waits to be killed.
const backupVictim = "BROKERAGE_TEST_BACKUP_VICTIM"

func init() {
	text := os.Getenv(backupVictim)
	if text == "" {
		return
	}
	args := strings.Split(text, "\n")
	var share int64
	if _, err := fmt.Sscan(args[3], &share); err != nil {
		panic(err)
	}
	fmt.Println("begun")
	progress := func(done, total int64) {
		if done*100 >= share*total {
			fmt.Println("here")
			select {}
		}
	}
	var err error
	if args[0] == "backup" {
		_, err = BackupTo(context.Background(), args[1], args[2], true, progress)
	} else {
		_, err = Restore(context.Background(), args[1], args[2], true, progress)
	}
	fmt.Println("done", err)
	os.Exit(0)
}

// never is a share that is not reached: the process is killed at random.
const never = 101

// kill runs a victim and kills it, where it waits or else after some time.
func kill(t testing.TB, what, from, to string, share int, after time.Duration) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%s\n%d", backupVictim, what, from, to, share))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Equal(t, "begun", lines.Text())
	if share == never {
		time.Sleep(after)
	} else {
		require.True(t, lines.Scan())
		require.Equal(t, "here", lines.Text())
	}
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
}

// rounds are where victims are killed: at points that are known, and at random.
func rounds() []int {
	random := 20
	if testing.Short() {
		random = 5
	}
	shares := []int{1, 50, 75, 90}
	for range random {
		shares = append(shares, never)
	}
	return shares
}

// Killed at any moment, a backup leaves the one before or a whole one.
func TestBackup_Killed(t *testing.T) {
	path := tinyDatabase(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "backup")
	before := smallBackup(t)
	halves := 0
	for _, share := range rounds() {
		require.NoError(t, os.WriteFile(file, before, 0o666))
		kill(t, "backup", path, file, share, time.Duration(rand.Int64N(int64(100*time.Millisecond))))
		if _, err := os.Stat(archive.HalfName(file)); err == nil {
			halves++
		}
		restored := filepath.Join(t.TempDir(), "b.db")
		_, err := Restore(t.Context(), file, restored, false, nil)
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, halves, 4, "the known points are in the middle")
	_, err := BackupTo(t.Context(), path, file, true, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"backup"}, entries(t, dir))
}

// Killed at any moment, a restore leaves the old database with what stood only in its journal, or the new one.
func TestRestore_Killed(t *testing.T) {
	original, file := tinyDatabase(t), filepath.Join(t.TempDir(), "backup")
	_, err := BackupTo(t.Context(), original, file, false, nil)
	require.NoError(t, err)
	orders := killedWhileWriting(t, original)

	halves, restored := 0, 0
	for _, share := range rounds() {
		path := copied(t, original)
		kill(t, "restore", file, path, share, time.Duration(rand.Int64N(int64(80*time.Millisecond))))
		if _, err := os.Stat(archive.HalfName(path)); err == nil {
			halves++
		}
		if requireEither(t, path, orders) {
			restored++
		}
	}
	t.Logf("%d half written, %d restored", halves, restored)
	require.GreaterOrEqual(t, halves, 2, "two of the known points are in the middle")
}

// copied is another file with what a killed process left.
func copied(t testing.TB, original string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "b.db")
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(original + suffix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path+suffix, b, 0o666))
	}
	return path
}

// The moment before the rename, which no kill at random is sure to meet.
func TestRestore_Settled(t *testing.T) {
	path := tinyDatabase(t)
	orders := killedWhileWriting(t, path)
	require.NoError(t, settle(t.Context(), path))
	require.NoFileExists(t, path+"-wal")
	require.False(t, requireEither(t, path, orders))
}
