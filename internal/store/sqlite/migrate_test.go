package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/sqlite/pagesum"
	"brokerage/internal/testenv"
)

// later are the migrations there are, and these.
func later(t testing.TB, texts ...string) fs.FS {
	t.Helper()
	all := make(fstest.MapFS)
	names, err := fs.Glob(embedded, "migrations/*.sql")
	require.NoError(t, err)
	for _, name := range names {
		b, err := embedded.ReadFile(name)
		require.NoError(t, err)
		all[name] = &fstest.MapFile{Data: b}
	}
	for i, text := range texts {
		all[fmt.Sprintf("migrations/%04d_later.sql", len(names)+1+i)] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

const addNotes = `
	CREATE TABLE notes (text TEXT NOT NULL) STRICT;
	INSERT INTO notes SELECT 'order ' || id FROM orders;
	UPDATE settings SET value = value;`

// newest is the version of the schema that this program makes.
func newest(t testing.TB) int {
	t.Helper()
	n, err := newestSchema()
	require.NoError(t, err)
	return n
}

// versionOne is a database as the program of version 1 of the schema left it,
// without checksums of its pages, with an order in it.
func versionOne(t testing.TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "brokerage.db")
	b, err := embedded.ReadFile("migrations/0001_documents.sql")
	require.NoError(t, err)
	keys, err := brokerage.OrderKeysOf(order(generator(t, "tiny"), 1))
	require.NoError(t, err)
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.ExecContext(t.Context(), "PRAGMA journal_mode = WAL;"+string(b)+"; PRAGMA user_version = 1")
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "INSERT INTO orders (id, account, cash, doc) VALUES (?, ?, ?, ?)",
		1, int64(keys.Account), keys.Cash, order(generator(t, "tiny"), 1))
	require.NoError(t, err)
	return path
}

// newestVersion is one as this program makes it.
func newestVersion(t testing.TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "brokerage.db")
	s, err := Open(context.Background(), path, Options{})
	require.NoError(t, err)
	_, err = s.InsertOrder(context.Background(), now(), order(generator(t, "tiny"), 1))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return path
}

// fromEach tests a migration of a database that is written anew for it, and of one that is changed in its place.
func fromEach(t *testing.T, dir func(testing.TB) string, test func(t *testing.T, dir, path string, from int)) {
	t.Helper()
	t.Run("AddsSums", func(t *testing.T) {
		dir := dir(t)
		test(t, dir, versionOne(t, dir), 1)
	})
	t.Run("InPlace", func(t *testing.T) {
		dir := dir(t)
		test(t, dir, newestVersion(t, dir), newest(t))
	})
}

func tempDir(t testing.TB) string { t.Helper(); return t.TempDir() }

// content is the files of a folder, by name.
func content(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	files := make(map[string]string)
	for _, entry := range entries {
		b, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		files[entry.Name()] = string(b)
	}
	return files
}

func requireVersion(t testing.TB, path string, want int) {
	t.Helper()
	db, err := OpenFile(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var version int
	require.NoError(t, db.QueryRowContext(context.Background(), "PRAGMA user_version").Scan(&version))
	require.Equal(t, want, version)
}

// requireOrder opens a database with the migrations of now, and finds its order.
func requireOrder(t testing.TB, path string, options Options) {
	t.Helper()
	s, err := Open(context.Background(), path, options)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	got, err := s.GetOrder(context.Background(), 1)
	require.NoError(t, err)
	require.Equal(t, string(brokerage.Order(order(generator(t, "tiny"), 1))), string(got))
}

func TestMigrate(t *testing.T) {
	fromEach(t, tempDir, func(t *testing.T, _, path string, from int) {
		var told []string
		options := Options{
			files:  later(t, addNotes, "CREATE INDEX notes_text ON notes (text)"),
			Notice: func(text string) { told = append(told, text) },
		}
		to := newest(t) + 2
		s, err := Open(t.Context(), path, options)
		require.NoError(t, err)
		was, is := s.Migrated()
		require.Equal(t, [2]int{from, to}, [2]int{was, is})
		if locksItself {
			_, err := lockFile(path, os.O_RDONLY, path)
			require.ErrorContains(
				t, err, "in use by another process", "a file that has taken the place of the old one is locked too",
			)
		}
		require.NoError(t, s.Close())
		requireOrder(t, path, options)
		copied := fmt.Sprintf("%s.version-%d", path, from)
		require.Equal(
			t,
			[]string{
				fmt.Sprintf("%s is being migrated from version %d to %d; version %d is kept as %s", path, from, to, from, copied),
			},
			told,
		)
		requireVersion(t, path, to)
		requireVersion(t, copied, from)
		for file, sums := range map[string]bool{path: true, copied: from >= firstWithSums} {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, sums, pagesum.Reserves(b), file)
		}
		requireOrder(t, copied, Options{})

		requireOrder(t, path, options)
		require.Len(t, told, 1, "once")
		requireOrder(t, path, Options{files: options.files, AsIs: true})
		_, err = Open(t.Context(), path, Options{})
		require.ErrorContains(t, err, fmt.Sprintf("schema version %d, and this program knows up to %d", to, to-2))
	})
}

// A new database is made in one go, without copies and notices.
func TestMigrate_New(t *testing.T) {
	dir := t.TempDir()
	s := opened(
		t, filepath.Join(dir, "brokerage.db"),
		Options{files: later(t, addNotes), Notice: func(text string) { t.Error(text) }},
	)
	require.NoError(t, s.Ready(t.Context()))
	require.NoError(t, s.Close())
	requireVersion(t, s.path, newest(t)+1)
	require.ElementsMatch(t, []string{"brokerage.db", "brokerage.db-lock"}, names(content(t, dir)))
}

func names(files map[string]string) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	return names
}

func TestMigrate_NeverOverwritesACopy(t *testing.T) {
	fromEach(t, tempDir, func(t *testing.T, dir, path string, from int) {
		first := fmt.Sprintf("brokerage.db.version-%d", from)
		for _, name := range []string{first, first + "-2"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("somebody's"), 0o600))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, first+".partial"), []byte("half a copy"), 0o600))
		var told string
		requireOrder(t, path, Options{files: later(t, addNotes), Notice: func(text string) { told = text }})
		require.Contains(t, told, first+"-3")
		requireOrder(t, filepath.Join(dir, first+"-3"), Options{})
		files := content(t, dir)
		require.Equal(t, "somebody's", files[first])
		require.Equal(t, "somebody's", files[first+"-2"])
		require.NotContains(t, files, first+".partial")
	})
}

// Of several migrations the last one fails: nothing of the others is left.
func TestMigrate_Fails(t *testing.T) {
	fromEach(t, tempDir, func(t *testing.T, dir, path string, from int) {
		before := content(t, dir)
		before["brokerage.db-lock"] = ""
		_, err := Open(t.Context(), path, Options{files: later(t, addNotes, "DROP TABLE orders; DROP TABLE nothing")})
		require.ErrorContains(t, err, fmt.Sprintf("%s is version %d as before: ", path, from))
		require.ErrorContains(t, err, fmt.Sprintf("migration migrations/%04d_later.sql: ", newest(t)+2))
		requireVersion(t, path, from)
		require.ElementsMatch(t, names(before), names(content(t, dir)), "a copy of what is there would be one too many")
		requireOrder(t, path, Options{})
	})
}

// victimOfMigration makes the test binary a process that migrates the database that the variable names, and never ends.
const victimOfMigration = "BROKERAGE_TEST_VICTIM_OF_MIGRATION"

func migrationVictim(path string) {
	forever := `
		CREATE TABLE notes (text TEXT NOT NULL) STRICT;
		INSERT INTO notes WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e15)
			SELECT hex(randomblob(500)) FROM n;`
	files := make(fstest.MapFS)
	names, err := fs.Glob(embedded, "migrations/*.sql")
	for _, name := range names {
		b, readErr := embedded.ReadFile(name)
		files[name], err = &fstest.MapFile{Data: b}, errors.Join(err, readErr)
	}
	files["migrations/9999_later.sql"] = &fstest.MapFile{Data: []byte(forever)}
	if err == nil {
		_, err = Open(context.Background(), path, Options{files: files})
	}
	fmt.Println("error", err)
	os.Exit(1)
}

func TestMigrate_Killed(t *testing.T) {
	fromEach(t, tempDir, func(t *testing.T, _, path string, from int) {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), victimOfMigration+"="+path)
		var out strings.Builder
		cmd.Stdout = &out
		require.NoError(t, cmd.Start())
		// Beyond the memory of a connection, what it writes is in the journal, or in
		// the file that is to take the place of the old one.
		large := func() bool {
			for _, file := range []string{path + "-wal", archive.HalfName(path)} {
				if info, err := os.Stat(file); err == nil && info.Size() > 1<<20 {
					return true
				}
			}
			return false
		}
		for ; !large(); time.Sleep(time.Millisecond) {
			require.NoError(t, t.Context().Err())
			require.Empty(t, out.String())
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // killed
		requireVersion(t, path, from)
		requireOrder(t, path, Options{files: later(t, addNotes)})
		requireVersion(t, path, newest(t)+1)
		copied := fmt.Sprintf("%s.version-%d", path, from)
		for _, copied := range []string{copied, copied + "-2"} {
			requireVersion(t, copied, from)
			requireOrder(t, copied, Options{})
		}
		require.NoFileExists(t, archive.HalfName(path))
	})
}

func TestMigrate_NoRoom(t *testing.T) {
	small := func(t testing.TB) string { t.Helper(); return testenv.SmallDisk(t, "4m") }
	fromEach(t, small, func(t *testing.T, dir, path string, from int) {
		info, err := os.Stat(path)
		require.NoError(t, err)
		for _, room := range []int64{64 << 10, info.Size() + 64<<10} { // not for the copy, or not for the new file
			ballast := testenv.FillDisk(t, dir, room)
			before := content(t, dir)
			before["brokerage.db-lock"] = ""
			_, err := Open(
				t.Context(), path,
				Options{files: later(t, addNotes, "CREATE TABLE large (x); INSERT INTO large VALUES (randomblob(300000))")},
			)
			require.ErrorAs(t, err, new(*brokerage.Unavailable))
			require.ErrorContains(t, err, fmt.Sprintf("%s is version %d as before: ", path, from))
			after := content(t, dir)
			require.ElementsMatch(t, names(before), names(after))
			require.Equal(t, before["brokerage.db"], after["brokerage.db"], "untouched")
			require.NoError(t, os.Remove(ballast))
		}
		requireOrder(t, path, Options{files: later(t, addNotes)})
		requireVersion(t, path, newest(t)+1)
	})
}

// What only reads does not migrate, and makes nothing.
func TestOpen_AsIs(t *testing.T) {
	dir := t.TempDir()
	path := newestVersion(t, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "empty.db"), nil, 0o600))
	before := content(t, dir)
	_, err := Open(t.Context(), path, Options{AsIs: true, files: later(t, addNotes)})
	require.EqualError(t, err, fmt.Sprintf("%s has schema version %d, and this program has %d: "+
		"brokerage migrate brings it up to date, and keeps a copy",
		path, newest(t), newest(t)+1))
	require.True(t, maps.Equal(before, content(t, dir)), "untouched")
	requireOrder(t, path, Options{AsIs: true})

	old := t.TempDir()
	_, err = Open(t.Context(), versionOne(t, old), Options{AsIs: true})
	require.ErrorContains(t, err, fmt.Sprintf("has schema version 1, and this program has %d: ", newest(t)))
	require.ElementsMatch(t, []string{"brokerage.db", "brokerage.db-lock"}, names(content(t, old)))

	_, err = Open(t.Context(), filepath.Join(dir, "none.db"), Options{AsIs: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(t.Context(), filepath.Join(dir, "empty.db"), Options{AsIs: true})
	require.ErrorContains(t, err, "empty.db is an empty file")
	require.NotContains(t, content(t, dir), "none.db")
}

// Another program may number its schemas too: its database is neither migrated nor removed.
func TestMigrate_NotOurs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE orders (id INTEGER PRIMARY KEY); PRAGMA user_version = 1")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = Open(t.Context(), path, Options{files: later(t, addNotes)})
	require.ErrorContains(t, err, "is a database, but not of this program")
	require.ErrorContains(t, Remove(t.Context(), path), "is a database, but not of this program")
	requireVersion(t, path, 1)
}
