package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// nobody is a user of this machine who may write to a shared folder and nowhere else.
const nobody = 65534

// Another user who may write to the folder of an output gets neither a file of root overwritten nor the output: he
// plants a link, or a file of his own, under the name of the output or that of its half.
func TestOutputs_SharedFolder(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		testenv.Missing(t, "root", "only root can make files of another user")
	}
	db := filepath.Join(tinyDB(t), "brokerage.db")
	require.NoError(t, os.Chmod(db, 0o600))
	result := resultFile(t, "r.json", nil)
	for name, args := range map[string][]string{
		"backup.zst":           {"backup", "--db", "sqlite:" + db, "--replace", "--out"},
		"order.templates.json": {"templates", "--count", "1", "--out"},
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
					to := out
					if args[0] == "templates" {
						to = dir
					}
					r := brokerage(t.Context(), append(args, to)...)
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
