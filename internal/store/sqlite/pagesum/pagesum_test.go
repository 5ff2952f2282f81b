package pagesum

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"brokerage/internal/testenv"
)

const pageSize = 4096

func randomPage(r *rand.Rand) []byte {
	page := make([]byte, pageSize)
	for i := 0; i < len(page); i += 8 {
		binary.LittleEndian.PutUint64(page[i:], r.Uint64())
	}
	return page
}

// Every flipped bit is detected, even one in the checksum.
func TestFits(t *testing.T) {
	page := randomPage(rand.New(rand.NewPCG(1, 1)))
	require.False(t, Fits(page))
	Put(page)
	require.True(t, Fits(page))
	for bit := range 8 * len(page) {
		page[bit/8] ^= 1 << (bit % 8)
		if Fits(page) {
			t.Errorf("bit %d makes no difference", bit)
		}
		page[bit/8] ^= 1 << (bit % 8)
	}
	require.False(t, Fits(make([]byte, pageSize)), "zeros, as where a write was lost")
}

// The sums are those of their definition, word by word, for every length.
func TestAdd(t *testing.T) {
	page := randomPage(rand.New(rand.NewPCG(2, 2)))
	for n := 0; n <= 200; n += 8 {
		w1, w2 := uint32(1), uint32(2)
		for i := 0; i < n; i += 8 {
			w1 += binary.LittleEndian.Uint32(page[i:]) + w2
			w2 += binary.LittleEndian.Uint32(page[i+4:]) + w1
		}
		s1, s2 := add(1, 2, page[:n], false)
		require.Equal(t, [2]uint32{w1, w2}, [2]uint32{s1, s2}, n)
	}
}

// The sums of a page, computed by hand.
func TestPut(t *testing.T) {
	page := make([]byte, 24)
	for i, word := range []uint32{1, 2, 3, 1 << 31} {
		binary.LittleEndian.PutUint32(page[4*i:], word)
	}
	Put(page)
	// s1 = 1, s2 = 2+1; s1 += 3+3, s2 += 2^31+7.
	require.Equal(t, uint32(7), binary.LittleEndian.Uint32(page[16:]))
	require.Equal(t, uint32(1<<31+10), binary.LittleEndian.Uint32(page[20:]))
}

func connect(t testing.TB, path string, settings url.Values) *sql.DB {
	t.Helper()
	settings.Set("vfs", VFS)
	return openName(t, "file:"+path+"?"+settings.Encode())
}

// openName opens a data source name; a path alone is opened without this layer.
func openName(t testing.TB, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", name)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// made returns a database of some hundred pages, with more pages in its journal on request.
func made(t testing.TB, journal bool) (path string, db *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.db")
	db = connect(t, path, url.Values{"_pragma": {"journal_mode(WAL)"}})
	run(t, db, "CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)")
	run(t, db, "INSERT INTO t SELECT value, randomblob(value * 40) FROM generate_series(1, 200)")
	run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	if journal {
		run(t, db, "UPDATE t SET x = randomblob(100) WHERE id % 3 = 0")
	}
	return path, db
}

func run(t testing.TB, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.ExecContext(context.Background(), strings.Replace(statement, "generate_series(1, 200)",
		"(WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 200) "+
			"SELECT value FROM n)", 1))
	require.NoError(t, err, Last()+" "+statement)
}

func code(err error) int {
	if driver, ok := errors.AsType[*sqlite.Error](err); ok {
		return driver.Code()
	}
	return 0
}

// Every page of a file has its checksum, and any SQLite can read it.
func TestFile(t *testing.T) {
	path, db := made(t, true)
	require.NoError(t, db.Close())
	requireFit(t, path)
	plain := openName(t, path)
	requireWhole(t, plain)
	require.Equal(t, "200", ask(t, plain, "SELECT count(*) FROM t"))
}

// requireFit checks the checksum of each page of a file.
func requireFit(t testing.TB, path string) {
	t.Helper()
	b := []byte(testenv.Text(t, path))
	require.True(t, Reserves(b))
	for i := 0; i < len(b); i += pageSize {
		if page := b[i : i+pageSize]; !Fits(page) {
			t.Errorf("page %d of %d does not match, zeros: %v", i/pageSize+1, len(b)/pageSize, zero(page))
		}
	}
}

// requireWhole checks a database with SQLite.
func requireWhole(t testing.TB, db *sql.DB) {
	t.Helper()
	require.Equal(t, "ok", ask(t, db, "PRAGMA integrity_check"))
}

// ask returns the single value of a query, as text.
func ask(t testing.TB, db *sql.DB, query string) (answer string) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(context.Background(), query).Scan(&answer))
	return answer
}

// A page with a wrong checksum, in the file or in its journal, is an error of SQLite.
func TestRead(t *testing.T) {
	for name, journal := range map[string]bool{"File": false, "Journal": true} {
		t.Run(name, func(t *testing.T) {
			path, writing := made(t, journal)
			file := path
			if journal {
				file += "-wal"
			}
			f, err := os.OpenFile(file, os.O_RDWR, 0)
			require.NoError(t, err)
			_, err = f.WriteAt([]byte("damaged"), 3*pageSize+1000)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			db := connect(t, path, url.Values{})
			err = db.QueryRowContext(t.Context(), "SELECT sum(length(x)) FROM t").Scan(new(int))
			require.Equal(t, sqlite3.SQLITE_IOERR_DATA, code(err), err)
			require.Contains(t, Last(), filepath.Base(file)+" does not match its checksum")
			if journal {
				_, err := writing.ExecContext(t.Context(), "PRAGMA wal_checkpoint(FULL)")
				require.Equal(t, sqlite3.SQLITE_IOERR_DATA, code(err), "it is not moved into the file")
			}
		})
	}
}

func TestRead_CutOff(t *testing.T) {
	path, db := made(t, false)
	require.NoError(t, db.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, info.Size()-pageSize-100))
	err = connect(t, path, url.Values{}).QueryRowContext(t.Context(), "SELECT sum(length(x)) FROM t").Scan(new(int))
	require.Contains(t, []int{sqlite3.SQLITE_IOERR_DATA, sqlite3.SQLITE_CORRUPT}, code(err), err)
}

// A transaction that is larger than the cache writes pages into the journal more
// than once, before their frames have a checksum, and reads them again.
func TestWrite_Spills(t *testing.T) {
	path, db := made(t, false)
	run(t, db, "PRAGMA cache_size = 10")
	run(t, db, "BEGIN")
	run(t, db, "SAVEPOINT a")
	for range 3 {
		run(t, db, "UPDATE t SET x = randomblob(length(x))")
	}
	run(t, db, "ROLLBACK TO a")
	for range 3 {
		run(t, db, "UPDATE t SET x = randomblob(length(x) + 1)")
		run(t, db, "DELETE FROM t WHERE id = (SELECT max(id) FROM t)")
	}
	run(t, db, "COMMIT")
	const sum = "SELECT sum(length(x)) FROM t"
	other := connect(t, path, url.Values{})
	require.Equal(t, ask(t, db, sum), ask(t, other, sum))
	require.NoError(t, other.Close())
	run(t, db, "VACUUM")
	run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	requireWhole(t, db)
}

// What is committed can be read by other connections at once, however transactions are flushed.
func TestWrite_Visible(t *testing.T) {
	for _, synchronous := range []string{"OFF", "NORMAL", "FULL"} {
		t.Run(synchronous, func(t *testing.T) {
			path, db := made(t, false)
			run(t, db, "PRAGMA synchronous = "+synchronous)
			other := connect(t, path, url.Values{})
			for i := range 50 {
				run(t, db, fmt.Sprintf("UPDATE t SET x = randomblob(%d) WHERE id %% 9 = %d", 100*i, i%9))
				const content = "SELECT group_concat(hex(x)) FROM t"
				require.Equal(t, ask(t, db, content), ask(t, other, content))
			}
			requireWhole(t, other)
		})
	}
}

// Whatever happens to pages (allocated and freed in one transaction, rolled back, spilled, truncated), each page of the
// file, even a free one, matches its checksum afterwards.
func TestWrite_Churn(t *testing.T) {
	path, db := made(t, false)
	run(t, db, "PRAGMA cache_size = 20")
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 30 {
		end := [...]string{"COMMIT", "COMMIT", "ROLLBACK"}[r.IntN(3)]
		run(t, db, "BEGIN")
		run(t, db, fmt.Sprintf("CREATE TABLE u%d (x BLOB)", i))
		const fill = "INSERT INTO u%d SELECT randomblob(value * %d) FROM generate_series(1, 200)"
		run(t, db, fmt.Sprintf(fill, i, 1+r.IntN(100)))
		run(t, db, fmt.Sprintf("DELETE FROM t WHERE id %% 7 = %d", r.IntN(7)))
		const replace = "INSERT OR REPLACE INTO t SELECT value, randomblob(%d) FROM generate_series(1, 200)"
		run(t, db, fmt.Sprintf(replace, r.IntN(9000)))
		run(t, db, fmt.Sprintf("DROP TABLE u%d", i))
		run(t, db, end)
		switch r.IntN(10) {
		case 0:
			run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
		case 1:
			run(t, db, "VACUUM")
		}
	}
	run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	require.NoError(t, db.Close())
	requireFit(t, path)
}

// A database without checksums gets none.
func TestWrite_Without(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	plain := openName(t, path)
	run(t, plain, "CREATE TABLE t (x)")
	require.NoError(t, plain.Close())
	db := connect(t, path, url.Values{})
	run(t, db, "INSERT INTO t SELECT randomblob(value * 40) FROM generate_series(1, 200)")
	require.NoError(t, db.Close())
	require.False(t, Reserves([]byte(testenv.Text(t, path))))
	requireWhole(t, openName(t, path))
}

func BenchmarkFits(b *testing.B) {
	page := randomPage(rand.New(rand.NewPCG(1, 1)))
	Put(page)
	b.SetBytes(pageSize)
	for b.Loop() {
		if !Fits(page) {
			b.Fatal("it does")
		}
	}
}
