package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/testenv"
)

// Whatever name the second process uses for the file, it is refused, and 20 clients of the first lose nothing.
func TestServe_OneProcessForAFile(t *testing.T) {
	t.Parallel()
	for name, reach := range map[string]func(t *testing.T, path string) (other string){
		"Symlink": func(t *testing.T, path string) string {
			other := filepath.Join(t.TempDir(), "other.db")
			require.NoError(t, os.Symlink(path, other))
			return other
		},
		"SymlinkedFolder": func(t *testing.T, path string) string {
			other := filepath.Join(t.TempDir(), "folder")
			require.NoError(t, os.Symlink(filepath.Dir(path), other))
			return filepath.Join(other, filepath.Base(path))
		},
		"HardLink": func(t *testing.T, path string) string {
			other := filepath.Join(filepath.Dir(path), "other.db")
			require.NoError(t, os.Link(path, other))
			return other
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(tinyDB(t), "brokerage.db")
			first := serving(t, "", "--db", "sqlite:"+path)
			load := chaostest.Start(t, chaostest.Options{
				URLs: []string{first.url}, Traders: 20, Generator: dataset.New(dataset.Spec{Seed: 1}), Pause: time.Millisecond,
			})
			load.Await(t, 50)
			backup := filepath.Join(t.TempDir(), "backup.zst")
			succeeds(t, "backup", "--db", "sqlite:"+path, "--out", backup)

			other := "sqlite:" + reach(t, path)
			second := starting(t, "", "--db", other)
			said := func(text string) bool { return strings.Contains(second.logs.String(), text) }
			const refused = "is in use by another process"
			eventually(t, func() bool { return said(refused) || said("listening") }, "the second neither ends nor listens: %s",
				second.logs)
			if said(refused) {
				require.Equal(t, exitFailed, second.ended(t), second.logs)
			} else { // the steps below show the damage
				t.Error("the second process serves the same file")
				load.Move(first.url, second.listening(t).url)
			}
			for _, args := range [][]string{
				{"load", "--replace"}, {"load"}, {"migrate"}, {"restore", "--replace", "--from", backup},
			} {
				r := brokerage(t.Context(), append(args, "--db", other)...)
				require.Equal(t, exitFailed, r.code, args)
				require.Contains(t, r.err, refused, args)
			}
			load.Await(t, 300)
			load.Stop(t)
			first.stop(t)
			requireAllKept(t, load, "sqlite:"+testenv.File(t, "copy.db", testenv.Text(t, path))) // a file of one name
		})
	}
}

// Writes to a database file that was deleted or replaced would be lost: within two seconds the service is not ready and
// refuses writes.
func TestServe_FileGone(t *testing.T) {
	t.Parallel()
	aside := func(t *testing.T, path string) { require.NoError(t, os.Rename(path, path+".aside")) }
	for name, c := range map[string]struct {
		harm, mend func(t *testing.T, path string)
	}{
		"Deleted": {harm: func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }},
		"Replaced": {harm: func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path+".new", sqlitetest.TinyFile(t), 0o600))
			require.NoError(t, os.Rename(path+".new", path))
		}},
		"JournalDeleted": {harm: func(t *testing.T, path string) { require.NoError(t, os.Remove(path+"-wal")) }},
		"Moved":          {aside, func(t *testing.T, path string) { require.NoError(t, os.Rename(path+".aside", path)) }},
		"FolderMoved": {
			func(t *testing.T, path string) { aside(t, filepath.Dir(path)) },
			func(t *testing.T, path string) {
				require.NoError(t, os.Rename(filepath.Dir(path)+".aside", filepath.Dir(path)))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits for the watch
			path := filepath.Join(tinyDB(t), "brokerage.db")
			i := serving(t, "", "--db", "sqlite:"+path)
			const trade = "/v1/accounts/104000000/buy"
			write := func() answer { return send(t, http.MethodPost, i.url+trade, "", buy) }
			require.Equal(t, http.StatusOK, write().status)
			c.harm(t, path)
			began := time.Now()
			eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusServiceUnavailable },
				"still ready: %s", i.logs)
			require.Less(t, time.Since(began), 3*time.Second) // one for the watch, and some for a busy machine
			require.Contains(t, get(t, i.url+"/readyz").body, "<detail>a file of the database was deleted or replaced</detail>")
			refused := write()
			require.Equal(t, http.StatusServiceUnavailable, refused.status)
			require.Contains(t, refused.body, "urn:brokerage:problem:unavailable<", "not outcome-unknown: nothing was done")
			require.Equal(t, http.StatusOK, get(t, i.url+"/v1/accounts/104000000").status, "reading goes on")
			require.Contains(t, i.logs.String(), "was deleted or replaced by another file while it was in use")
			if c.mend != nil {
				c.mend(t, path)
				eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusOK }, "not ready again: %s", i.logs)
				require.Equal(t, http.StatusOK, write().status)
			}
			i.stop(t)
		})
	}
}
