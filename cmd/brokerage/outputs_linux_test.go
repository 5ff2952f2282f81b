package main

import (
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

// nobody is the id of a user of that name, who may write to shared folders only.
const nobody = 65534

// Another user plants a link, or a file of his own, in the folder of an output, under the name of the output or of
// its partial file. No file of root is overwritten through it, and the output does not become his.
func TestOutputs_SharedFolder(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		testenv.Missing(t, "root", "only root can make files of another user")
	}
	db := filepath.Join(tinyDB(t), "brokerage.db")
	require.NoError(t, os.Chmod(db, 0o600))
	result := resultFile(t, "r.json", nil)
	for name, args := range map[string][]string{
		"backup.zst": {"backup", "--db", "sqlite:" + db, "--replace", "--out"},
		"r.json": {"drive", "--db", "null:", "--users", "1", "--ramp", "0s", "--duration", "10ms", "--allow-invalid",
			"--json"},
		"report.html": {"report", result, "--out"},
	} {
		for _, planted := range []string{"." + name + ".partial", name} {
			for _, kind := range []string{"Link", "File"} {
				t.Run(kind+planted, func(t *testing.T) {
					dir := t.TempDir()
					require.NoError(t, os.Chmod(dir, 0o777))
					victim, plant := testenv.File(t, "victim", "root's"), filepath.Join(dir, planted)
					if kind == "Link" {
						require.NoError(t, os.Symlink(victim, plant))
					} else {
						require.NoError(t, os.WriteFile(plant, []byte("nobody's"), 0o666))
					}
					require.NoError(t, os.Lchown(plant, nobody, nobody))
					out := filepath.Join(dir, name)
					r := brokerage(t.Context(), append(args, out)...)
					require.Equal(t, "root's", testenv.Text(t, victim))
					if r.code != exitOK {
						require.Equal(t, name, planted, "half a file stops nothing: %s", r.err)
						return
					}
					info, err := os.Lstat(out)
					require.NoError(t, err)
					require.True(t, info.Mode().IsRegular(), info.Mode())
					require.Zero(t, info.Sys().(*syscall.Stat_t).Uid, "the owner")
				})
			}
		}
	}
}

// Files that another user plants in a shared folder of backups are neither counted by --keep nor restored, whatever
// their names and manifests say. Those of the folder's owner are used, as when root restores the service's backups.
func TestBackup_SharedFolder(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		testenv.Missing(t, "root", "only root can make files of another user")
	}
	db, folder := "sqlite:"+filepath.Join(tinyDB(t), "brokerage.db"), t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o777|os.ModeSticky))
	r := succeeds(t, "backup", "--db", db, "--out", folder, "--keep", "2")
	identity := regexp.MustCompile("[0-9a-f]{32}").FindString(r.out)
	kept := names(t, folder)
	for _, name := range []string{"brokerage-20200101T000000Z.bak", "brokerage-20210101T000000Z.bak",
		"brokerage-20990101T000000Z.bak"} {
		plantBackup(t, filepath.Join(folder, name), identity)
		require.NoError(t, os.Chown(filepath.Join(folder, name), nobody, nobody))
		kept = append(kept, name)
	}
	time.Sleep(1100 * time.Millisecond) // the time in a name is in seconds
	require.NotContains(t, succeeds(t, "backup", "--db", db, "--out", folder, "--keep", "2").out, "removed")
	require.Subset(t, names(t, folder), kept)
	require.Len(t, names(t, folder), 5)
	succeeds(t, "restore", "--from", folder, "--db", "sqlite:"+filepath.Join(t.TempDir(), "new.db"))

	require.NoError(t, os.Chown(folder, nobody, nobody))
	requireOneLine(t, brokerage(t.Context(), "restore", "--from", folder, "--db", db, "--replace"), exitFailed,
		"brokerage-20990101T000000Z.bak is damaged")
}

func TestGenerate_FullDisk(t *testing.T) {
	t.Parallel()
	dir := testenv.SmallDisk(t, "4m")

	t.Run("Foreseen", func(t *testing.T) {
		requireOneLine(t, brokerage(t.Context(), "generate", "--out", dir), exitFailed, "needs about")
		require.Empty(t, names(t, dir))
	})
	t.Run("Met", func(t *testing.T) {
		files := tiny(dataset.TPoX2).Files(dir, nil, dataset.Part{Number: 1, Of: 1}, false)
		_, err := files.Write(t.Context(), 2, func(int) {})
		require.ErrorIs(t, err, syscall.ENOSPC)
		for _, name := range names(t, dir) {
			require.NotContains(t, name, "partial")
		}
	})
}
