package sqlite

import (
	"context"
	"database/sql"
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

// versionOne is a database with an order in it.
func versionOne(t testing.TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "brokerage.db")
	s, err := Open(context.Background(), path, Options{})
	require.NoError(t, err)
	_, err = s.InsertOrder(context.Background(), now(), order(generator(t, "tiny"), 1))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return path
}

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
	db, err := sql.Open("sqlite", dsn(path))
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
	dir := t.TempDir()
	path := versionOne(t, dir)
	var told []string
	options := Options{
		files:  later(t, addNotes, "CREATE INDEX notes_text ON notes (text)"),
		Notice: func(text string) { told = append(told, text) },
	}
	requireOrder(t, path, options)
	require.Equal(t, []string{path + " is being migrated from version 1 to 3; version 1 is kept as " + path + ".version-1"}, told)
	requireVersion(t, path, 3)
	requireVersion(t, path+".version-1", 1)
	requireOrder(t, path+".version-1", Options{}) // as a program of before would

	requireOrder(t, path, options)
	require.Len(t, told, 1, "once")
	requireOrder(t, path, Options{files: options.files, AsIs: true})
	_, err := Open(t.Context(), path, Options{})
	require.ErrorContains(t, err, "schema version 3, and this program knows up to 1")
}

// A new database is made in one go, without copies and notices.
func TestMigrate_New(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, filepath.Join(dir, "brokerage.db"), Options{files: later(t, addNotes), Notice: func(text string) { t.Error(text) }})
	require.NoError(t, s.Ready(t.Context()))
	require.NoError(t, s.Close())
	requireVersion(t, s.path, 2)
	require.ElementsMatch(t, []string{"brokerage.db", "brokerage.db-lock"}, names(content(t, dir)))
}

func names(files map[string]string) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	return names
}

func TestMigrate_NeverOverwritesACopy(t *testing.T) {
	dir := t.TempDir()
	path := versionOne(t, dir)
	for _, name := range []string{".version-1", ".version-1-2"} {
		require.NoError(t, os.WriteFile(path+name, []byte("somebody's"), 0o600))
	}
	require.NoError(t, os.WriteFile(path+".version-1.partial", []byte("half a copy"), 0o600))
	var told string
	requireOrder(t, path, Options{files: later(t, addNotes), Notice: func(text string) { told = text }})
	require.Contains(t, told, path+".version-1-3")
	requireOrder(t, path+".version-1-3", Options{})
	files := content(t, dir)
	require.Equal(t, "somebody's", files["brokerage.db.version-1"])
	require.Equal(t, "somebody's", files["brokerage.db.version-1-2"])
	require.NotContains(t, files, "brokerage.db.version-1.partial")
}

// Of several migrations the last one fails: nothing of the others is left.
func TestMigrate_Fails(t *testing.T) {
	dir := t.TempDir()
	path := versionOne(t, dir)
	before := content(t, dir)
	_, err := Open(t.Context(), path, Options{files: later(t, addNotes, "DROP TABLE orders; DROP TABLE nothing")})
	require.ErrorContains(t, err, path+" is version 1 as before: ")
	require.ErrorContains(t, err, "migration migrations/0003_later.sql: ")
	requireVersion(t, path, 1)
	requireOrder(t, path, Options{})
	require.ElementsMatch(t, names(before), names(content(t, dir)), "a copy of what is there would be one too many")
}

// victimOfMigration makes the test binary a process that migrates the database
// that the variable names, and never ends.
const victimOfMigration = "BROKERAGE_TEST_VICTIM_OF_MIGRATION"

func migrationVictim(path string) {
	forever := `
		CREATE TABLE notes (text TEXT NOT NULL) STRICT;
		INSERT INTO notes WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e15) SELECT hex(randomblob(500)) FROM n;`
	files := fstest.MapFS{"migrations/0002_later.sql": {Data: []byte(forever)}}
	first, err := embedded.ReadFile("migrations/0001_documents.sql")
	if err == nil {
		files["migrations/0001_documents.sql"] = &fstest.MapFile{Data: first}
		_, err = Open(context.Background(), path, Options{files: files})
	}
	fmt.Println("error", err)
	os.Exit(1)
}

func TestMigrate_Killed(t *testing.T) {
	dir := t.TempDir()
	path := versionOne(t, dir)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), victimOfMigration+"="+path)
	var out strings.Builder
	cmd.Stdout = &out
	require.NoError(t, cmd.Start())
	// Beyond the memory of a connection, what it writes is in the journal.
	large := func() bool {
		info, err := os.Stat(path + "-wal")
		return err == nil && info.Size() > 1<<20
	}
	for ; !large(); time.Sleep(time.Millisecond) {
		require.NoError(t, t.Context().Err())
		require.Empty(t, out.String())
	}
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
	requireOrder(t, path, Options{})
	requireVersion(t, path, 1)
	requireOrder(t, path, Options{files: later(t, addNotes)})
	requireVersion(t, path, 2)
	for _, copied := range []string{".version-1", ".version-1-2"} {
		requireOrder(t, path+copied, Options{})
	}
}

func TestMigrate_NoRoomForTheCopy(t *testing.T) {
	dir := testenv.SmallDisk(t, "4m")
	path := versionOne(t, dir)
	ballast := testenv.FillDisk(t, dir, 64<<10)
	before := content(t, dir)
	_, err := Open(t.Context(), path, Options{files: later(t, addNotes)})
	require.ErrorAs(t, err, new(*brokerage.Unavailable))
	require.ErrorContains(t, err, path+" is version 1 as before: ")
	require.True(t, maps.Equal(before, content(t, dir)), "untouched")
	require.NoError(t, os.Remove(ballast))
	requireOrder(t, path, Options{files: later(t, addNotes)})
	requireVersion(t, path, 2)
}

// What only reads does not migrate, and makes nothing.
func TestOpen_AsIs(t *testing.T) {
	dir := t.TempDir()
	path := versionOne(t, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "empty.db"), nil, 0o600))
	before := content(t, dir)
	_, err := Open(t.Context(), path, Options{AsIs: true, files: later(t, addNotes)})
	require.EqualError(t, err, path+" has schema version 1, and this program has 2: the load command brings it up to date, and keeps a copy")
	require.True(t, maps.Equal(before, content(t, dir)), "untouched")
	requireOrder(t, path, Options{AsIs: true})

	_, err = Open(t.Context(), filepath.Join(dir, "none.db"), Options{AsIs: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(t.Context(), filepath.Join(dir, "empty.db"), Options{AsIs: true})
	require.ErrorContains(t, err, "empty.db is an empty file")
	require.NotContains(t, content(t, dir), "none.db")
}

// Another program may number its schemas too: its database is neither migrated
// nor removed.
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
