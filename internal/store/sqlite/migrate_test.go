package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/sqlite/pagesum"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// later returns the existing migrations and the given ones.
func later(texts ...string) []migration {
	all := slices.Clone(migrations)
	for _, text := range texts {
		all = append(all, migration{fmt.Sprintf("migrations/%04d_later.sql", len(all)+1), text})
	}
	return all
}

const addNotes = `
	CREATE TABLE notes (text TEXT NOT NULL) STRICT;
	INSERT INTO notes SELECT 'order ' || id FROM orders;
	UPDATE settings SET value = value;`

// versionOne makes a database like the program of version 1 of the schema, without checksums of its pages, with an
// order in it.
func versionOne(t testing.TB, dir string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "brokerage.db")
	keys, err := tpox.OrderKeysOf(order(1))
	require.NoError(t, err)
	require.NoError(t, withDatabase(path, func(db *sql.DB) error {
		_, err := db.ExecContext(t.Context(), "PRAGMA journal_mode = WAL;"+migrations[0].text+"; PRAGMA user_version = 1")
		if err != nil {
			return err
		}
		_, err = db.ExecContext(t.Context(), "INSERT INTO orders (id, account, cash, doc) VALUES (?, ?, ?, ?)",
			1, int64(keys.Account), keys.Cash, order(1))
		return err
	}))
	return path
}

// newestVersion makes a database with an order in it.
func newestVersion(t testing.TB, dir string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "brokerage.db")
	s := opened(t, path, Options{})
	insert(t, s, 1)
	require.NoError(t, s.Close())
	return path
}

// fromEach tests the migration of a database that must be rewritten, and of one that is changed in place.
func fromEach(t *testing.T, dir func(testing.TB) string, test func(t *testing.T, dir, path string, from int)) {
	t.Helper()
	t.Run("AddsSums", func(t *testing.T) {
		dir := dir(t)
		test(t, dir, versionOne(t, dir), 1)
	})
	t.Run("InPlace", func(t *testing.T) {
		dir := dir(t)
		test(t, dir, newestVersion(t, dir), newest)
	})
}

func tempDir(t testing.TB) string { t.Helper(); return t.TempDir() }

func requireVersion(t testing.TB, path string, want int) {
	t.Helper()
	db, err := OpenFile(path)
	require.NoError(t, err)
	require.Equal(t, want, scan[int](t, db, "PRAGMA user_version"))
	require.NoError(t, db.Close())
}

// requireOpens opens a database, with the migrations of options, and finds its order.
func requireOpens(t testing.TB, path string, options Options) {
	t.Helper()
	s := opened(t, path, options)
	requireOrder(t, s, 1)
	require.NoError(t, s.Close())
}

func TestMigrate(t *testing.T) {
	fromEach(t, tempDir, func(t *testing.T, _, path string, from int) {
		var notices []string
		options := Options{
			migrations: later(addNotes, "CREATE INDEX notes_text ON notes (text)"),
			Notice:     func(text string) { notices = append(notices, text) },
		}
		to := newest + 2
		s := opened(t, path, options)
		was, is := s.Migrated()
		require.Equal(t, [2]int{from, to}, [2]int{was, is})
		if locksItself {
			_, err := lockFile(path, os.O_RDONLY, path)
			require.ErrorContains(t, err, "in use by another process", "a file that has replaced the old one is locked too")
		}
		require.NoError(t, s.Close())
		requireOpens(t, path, options)
		copied := fmt.Sprintf("%s.version-%d", path, from)
		notice := "%s is being migrated from version %d to %d; version %d is kept as %s"
		require.Equal(t, []string{fmt.Sprintf(notice, path, from, to, from, copied)}, notices)
		requireVersion(t, path, to)
		requireVersion(t, copied, from)
		require.True(t, pagesum.Reserves(readFile(t, path)))
		require.Equal(t, from >= firstWithSums, pagesum.Reserves(readFile(t, copied)))
		requireOpens(t, copied, Options{})

		requireOpens(t, path, options)
		require.Len(t, notices, 1, "once")
		requireOpens(t, path, Options{migrations: options.migrations, AsIs: true})
		_, err := Open(t.Context(), path, Options{})
		require.ErrorContains(t, err, fmt.Sprintf("schema version %d, but this program supports up to %d", to, to-2))
	})
}

// A new database is created at once, without copies and notices.
func TestMigrate_New(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "brokerage.db")
	s := opened(t, path, Options{migrations: later(addNotes), Notice: func(text string) { t.Error(text) }})
	require.NoError(t, s.Ready(t.Context()))
	require.NoError(t, s.Close())
	requireVersion(t, path, newest+1)
	require.Equal(t, []string{"brokerage.db", "brokerage.db-lock"}, entries(t, dir))
}

func TestMigrate_NeverOverwritesACopy(t *testing.T) {
	fromEach(t, tempDir, func(t *testing.T, dir, path string, from int) {
		first := fmt.Sprintf("brokerage.db.version-%d", from)
		writeFile(t, filepath.Join(dir, first), []byte("somebody's"))
		writeFile(t, filepath.Join(dir, first+"-2"), []byte("somebody's"))
		writeFile(t, filepath.Join(dir, first+".partial"), []byte("half a copy"))
		var notices string
		requireOpens(t, path, Options{migrations: later(addNotes), Notice: func(text string) { notices = text }})
		require.Contains(t, notices, first+"-3")
		requireOpens(t, filepath.Join(dir, first+"-3"), Options{})
		files := content(t, dir)
		require.Equal(t, "somebody's", files[first])
		require.Equal(t, "somebody's", files[first+"-2"])
		require.NotContains(t, files, first+".partial")
	})
}

// The last of several migrations fails: nothing of the others is left.
func TestMigrate_Fails(t *testing.T) {
	fromEach(t, tempDir, func(t *testing.T, dir, path string, from int) {
		_, err := Open(t.Context(), path, Options{migrations: later(addNotes, "DROP TABLE orders; DROP TABLE nothing")})
		require.ErrorContains(t, err, fmt.Sprintf("%s still has version %d: ", path, from))
		require.ErrorContains(t, err, fmt.Sprintf("migration migrations/%04d_later.sql: ", newest+2))
		requireVersion(t, path, from)
		require.Equal(t, []string{"brokerage.db", "brokerage.db-lock"}, entries(t, dir), "without a copy")
		requireOpens(t, path, Options{})
	})
}

// migratingVictim migrates a database, and never ends.
func migratingVictim(args []string) error {
	_, err := Open(context.Background(), args[0], Options{migrations: later(`
		CREATE TABLE notes (text TEXT NOT NULL) STRICT;
		INSERT INTO notes WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e15)
			SELECT hex(randomblob(500)) FROM n;`)})
	return err
}

func TestMigrate_Killed(t *testing.T) {
	fromEach(t, tempDir, func(t *testing.T, _, path string, from int) {
		v := startVictim(t, "migrate", path)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			v.lines.Scan()
		}()
		// When its changes exceed the cache, a connection writes them to the journal, or to the file that will replace the
		// old one.
		for sizeOf(path+"-wal") <= 1<<20 && sizeOf(archive.HalfName(path)) <= 1<<20 {
			select {
			case <-ended:
				require.Fail(t, "the victim has ended", v.lines.Text())
			case <-time.After(time.Millisecond):
			}
		}
		v.kill()
		requireVersion(t, path, from)
		requireOpens(t, path, Options{migrations: later(addNotes)})
		requireVersion(t, path, newest+1)
		copied := fmt.Sprintf("%s.version-%d", path, from)
		for _, copied := range []string{copied, copied + "-2"} {
			requireVersion(t, copied, from)
			requireOpens(t, copied, Options{})
		}
		require.NoFileExists(t, archive.HalfName(path))
	})
}

func TestMigrate_NoRoom(t *testing.T) {
	small := func(t testing.TB) string { t.Helper(); return testenv.SmallDisk(t, "4m") }
	large := later(addNotes, "CREATE TABLE large (x); INSERT INTO large VALUES (randomblob(300000))")
	fromEach(t, small, func(t *testing.T, dir, path string, from int) {
		for _, room := range []int64{64 << 10, sizeOf(path) + 64<<10} { // not enough for the copy, or not for the new file
			ballast := testenv.FillDisk(t, dir, room)
			before := content(t, dir)
			before["brokerage.db-lock"] = ""
			_, err := Open(t.Context(), path, Options{migrations: large})
			require.ErrorAs(t, err, new(*tpox.Unavailable))
			require.ErrorContains(t, err, fmt.Sprintf("%s still has version %d: ", path, from))
			require.True(t, maps.Equal(before, content(t, dir)), "changed")
			require.NoError(t, os.Remove(ballast))
		}
		requireOpens(t, path, Options{migrations: later(addNotes)})
		requireVersion(t, path, newest+1)
	})
}

// A command that only reads neither migrates nor creates a file.
func TestOpen_AsIs(t *testing.T) {
	dir := t.TempDir()
	path := newestVersion(t, dir)
	writeFile(t, filepath.Join(dir, "empty.db"), nil)
	before := content(t, dir)
	_, err := Open(t.Context(), path, Options{AsIs: true, migrations: later(addNotes)})
	require.EqualError(t, err, fmt.Sprintf("%s has schema version %d, and this program has %d: "+
		"brokerage migrate brings it up to date, and keeps a copy", path, newest, newest+1))
	require.True(t, maps.Equal(before, content(t, dir)), "changed")
	requireOpens(t, path, Options{AsIs: true})

	old := t.TempDir()
	_, err = Open(t.Context(), versionOne(t, old), Options{AsIs: true})
	require.ErrorContains(t, err, fmt.Sprintf("has schema version 1, and this program has %d: ", newest))
	require.Equal(t, []string{"brokerage.db", "brokerage.db-lock"}, entries(t, old))

	_, err = Open(t.Context(), filepath.Join(dir, "none.db"), Options{AsIs: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(t.Context(), filepath.Join(dir, "empty.db"), Options{AsIs: true})
	require.ErrorContains(t, err, "empty.db is an empty file")
	require.NoFileExists(t, filepath.Join(dir, "none.db"))
}

// Another program may number its schemas too: its database is neither migrated nor removed.
func TestMigrate_NotOurs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	execute(t, path, "CREATE TABLE orders (id INTEGER PRIMARY KEY); PRAGMA user_version = 1")
	_, err := Open(t.Context(), path, Options{migrations: later(addNotes)})
	require.ErrorContains(t, err, "is a database, but not of this program")
	require.ErrorContains(t, Remove(t.Context(), path), "is a database, but not of this program")
	requireVersion(t, path, 1)
}

// A database of version 2 has the cash of the first OrdQty that has one, and the price of the first Price with a part:
// verify would report it, and PostgreSQL never had it.
func TestMigrate_FirstParts(t *testing.T) {
	s := tinyStore(t)
	for i, parts := range []string{
		`<OrdQty Qty="1"></OrdQty><OrdQty Cash="9999999999"></OrdQty>`,
		`<OrdQty Cash="8888888888"></OrdQty><OrdQty Cash="1"></OrdQty>`,
	} {
		doc := fmt.Appendf(nil, `<FIXML xmlns=%q><Order ID="%d" Acct="%d">%s</Order></FIXML>`,
			tpox.FIXMLNS, i+1, tiny.FirstAccount(0), parts)
		_, err := s.InsertOrder(t.Context(), now(), doc)
		require.NoError(t, err)
	}
	symbol := tiny.Symbol(3)
	security := changed(t, tiny.Append(nil, dataset.Security, 3), "<Price>", `<Price></Price><Price>`)
	require.NoError(t, s.ReplaceSecurity(t.Context(), now(), symbol, security, false, nil))
	price, err := s.SecurityPrice(t.Context(), symbol)
	require.NoError(t, err)
	require.NotContains(t, string(price), "LastTrade")
	require.NoError(t, s.Close())

	cash, ok := tpox.SortKey("9999999999")
	require.True(t, ok)
	execute(t, s.path, `UPDATE orders SET cash = ? WHERE id = 1;
		UPDATE securities SET last_trade = '7', price = ? WHERE symbol = ?;
		PRAGMA user_version = 2`, cash, []byte("<Security_Price></Security_Price>"), symbol)

	s = opened(t, s.path, Options{})
	findings, _ := findingsOf(t, s)
	for _, finding := range findings {
		require.Contains(t, finding, "the document is not valid", "nor was it meant to be")
	}
	largest, err := s.CustomerMaxOrder(t.Context(), customerID(0))
	require.NoError(t, err)
	require.Contains(t, string(largest), `ORDER_ID="2" CASH="8888888888"`)
	again, err := s.SecurityPrice(t.Context(), symbol)
	require.NoError(t, err)
	require.Equal(t, string(price), string(again))
}
