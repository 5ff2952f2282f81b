package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

// stranger is a user to whom nothing belongs.
const stranger = 65533

func requireRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to another user")
	}
}

func giveAway(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.Chown(path, stranger, stranger))
}

// A file that another user has planted beside a database is not applied to it by any command.
func TestOpen_PlantedJournal(t *testing.T) {
	requireRoot(t)
	for _, suffix := range []string{"-journal", "-wal", "-shm"} {
		t.Run(suffix, func(t *testing.T) {
			tg := newTarget(t)
			planted := tg.path + suffix
			writeFile(t, planted, []byte("planted"))
			giveAway(t, planted)
			before := content(t, tg.dir)
			says := planted + " belongs to user 65533, who may not write " + tg.path
			for does, do := range commandsOn(t, tg.path) {
				require.ErrorContains(t, do(), says, does)
			}
			require.Equal(t, before, content(t, tg.dir))

			giveAway(t, tg.path) // now it is the journal of the owner
			info, err := os.Stat(tg.path)
			require.NoError(t, err)
			require.NoError(t, checkBeside(tg.path, info))
		})
	}
}

// A journal is accepted if it belongs to a member of the group that shares the database.
func TestOpen_JournalOfGroup(t *testing.T) {
	requireRoot(t)
	path := newTarget(t).path
	require.NoError(t, os.Chown(path, 0, stranger))
	require.NoError(t, os.Chmod(path, 0o660))
	writeFile(t, path+"-wal", nil)
	giveAway(t, path+"-wal")
	opened(t, path, store.Options{})
}

// An empty file of another user is not filled, and a new database is refused beside a journal of another user. Root may
// open a database of another user, as for maintenance, and gets a notice.
func TestOpen_ForeignOwner(t *testing.T) {
	requireRoot(t)
	for name, fill := range map[string]string{"NoBytes": "", "NoTables": "CREATE TABLE t (x); DROP TABLE t"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "b.db")
			writeFile(t, path, nil)
			if fill != "" {
				execute(t, path, fill)
			}
			giveAway(t, path)
			before := readFile(t, path)
			require.ErrorContains(t, errOf(Open(t.Context(), path, store.Options{})),
				path+" belongs to user 65533, who can read and change what is stored in it: chown it")
			require.Equal(t, before, readFile(t, path))
		})
	}
	t.Run("Journal", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "b.db")
		writeFile(t, path+"-wal", nil)
		giveAway(t, path+"-wal")
		require.ErrorContains(t, errOf(Open(t.Context(), path, store.Options{})), "-wal belongs to user 65533")
	})
	t.Run("Maintenance", func(t *testing.T) {
		path := newTarget(t).path
		giveAway(t, path)
		var said []string
		opened(t, path, store.Options{Notice: func(text string) { said = append(said, text) }})
		require.Equal(t, []string{path + " belongs to user 65533, who can read and change what is stored in it"}, said)
	})
}

// A file that has the name of a journal but is none is neither used nor removed.
func TestOpen_NoJournal(t *testing.T) {
	backup := written(t, smallBackup(t))
	for _, suffix := range []string{"-journal", "-wal"} {
		for name, c := range map[string]struct {
			plant func(path string)
			says  string
		}{
			"Database": {func(path string) { execute(t, path, "CREATE TABLE t (x)") }, "is a database, not a journal"},
			"Link": {
				func(path string) { require.NoError(t, os.Symlink("b.db", path)) }, "is not an ordinary file",
			},
		} {
			t.Run(name+suffix, func(t *testing.T) {
				tg := newTarget(t)
				c.plant(tg.path + suffix)
				before := content(t, tg.dir)
				for does, do := range commandsOn(t, tg.path) {
					require.ErrorContains(t, do(), c.says, does)
				}
				require.Equal(t, before, content(t, tg.dir))
			})
		}
		t.Run("Restore"+suffix, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "r.db")
			emptyAt(t, path+suffix)
			before := content(t, dir)
			require.ErrorContains(t, errOf(Restore(t.Context(), backup, path, false, nil)),
				path+suffix+" is a database, not a journal")
			require.Equal(t, before, content(t, dir))
		})
	}
}
