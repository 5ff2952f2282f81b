package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver

	"brokerage/internal/output"
	"brokerage/internal/probe"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Store is the embedded store; see the package comment.
type Store struct {
	store.Ledger

	path     string
	settings Settings
	options  store.Options
	lock     *lock
	writing  *sql.DB
	reading  *sql.DB
	codec    atomic.Pointer[codec] // a load may replace it
	large    store.LargeWrites
	writer   *writer
	readers  *readers
	engine   tpox.EngineInfo
	census   census
	packed   [len(kinds)]packing
	nextIDs  map[string]*atomic.Int64 // with which the next leases begin; the map does not change
	redone   atomic.Int64             // revisions that were planned again
	closing  sync.Once
	unwatch  func() // ends the watch over the files; nil if there is none

	stamp store.Stamp
	made  bool // whether Open has made the schema

	purged time.Time // when expired answers were last purged; only the writer uses it
}

var _ tpox.Store = (*Store)(nil)

// Open opens the database file at path, or makes one.
func Open(ctx context.Context, path string, options store.Options) (*Store, error) {
	return OpenWith(ctx, path, nil, options)
}

// OpenWith does the same with settings of SQLite in place of the store's own.
func OpenWith(ctx context.Context, path string, settings Settings, options store.Options) (*Store, error) {
	if options.Pool <= 0 {
		options.Pool = 2 * runtime.GOMAXPROCS(0)
	}
	options.Rules = options.Rules.WithDefaults()
	ignore := func(string) {}
	if options.Notice == nil {
		options.Notice = ignore
	}
	if options.Doing == nil {
		options.Doing = ignore
	}
	if err := output.NotBesideDatabase(path); err != nil {
		return nil, err
	}
	s := &Store{path: path, settings: settings, options: options, large: store.NewLargeWrites()}
	s.Text = s.setting
	if err := s.open(ctx); err != nil {
		if !tpox.Is[*tpox.Damaged](err) && isDamage(err) {
			err = fmt.Errorf("%s: %w", path, domainError(err))
		}
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if s.options.AsIs {
		// SQLite would make a database of an empty file.
		if info, err := os.Stat(s.path); err != nil {
			return err
		} else if info.Size() == 0 {
			return errEmpty(s.path)
		}
	}
	if s.lock, err = lockDatabase(s.path, !s.options.AsIs); err != nil {
		return err
	}
	s.path = s.lock.path
	// Before anything is written: the file may be of another program.
	empty := s.lock.info.Size() == 0
	if !empty {
		err := withDatabase(existing(s.path, "rw"), func(db *sql.DB) (err error) {
			_, empty, err = stampOf(ctx, db)
			return openError(s.path, err)
		})
		if err != nil {
			return err
		}
	}
	if err := s.lock.checkOwner(empty, s.options.Notice); err != nil {
		return err
	}
	if empty {
		if err := s.settings.setPageSize(ctx, s.path); err != nil {
			return err
		}
	}
	reading, writing := pageCaches(probe.Here.UsableMemory())
	if err := s.openWriting(ctx, writing); err != nil {
		return err
	}
	s.lock.warnOfOthers(s.options.Notice)
	dictionaries, err := readDictionaries(ctx, s.writing)
	if err != nil {
		return err
	}
	if s.nextIDs, err = readLeases(ctx, s.writing); err != nil {
		return err
	}
	codec, err := newCodec(dictionaries, s.options.Uncompressed)
	if err != nil {
		return err
	}
	s.codec.Store(codec)
	if err := s.openReading(ctx, reading); err != nil {
		return err
	}
	if err := s.lock.lockJournal(); err != nil {
		return err
	}
	if s.writer, err = newWriter(ctx, s); err != nil || s.options.AsIs {
		return err
	}
	s.unwatch, err = s.watch()
	return err
}

// openWriting opens the connection for writing, with a cache in KiB, and makes the schema in an empty file.
func (s *Store) openWriting(ctx context.Context, cache int) (err error) {
	s.writing, err = sql.Open("sqlite", dsn(s.path, s.settings, "synchronous(FULL)",
		fmt.Sprintf("cache_size(-%d)", cache), fmt.Sprintf("wal_autocheckpoint(%d)", journalPages)))
	if err != nil {
		return err
	}
	s.writing.SetMaxOpenConns(1)
	if err := s.ensureSchema(ctx); err != nil {
		return err
	}
	if s.engine, err = s.describe(ctx); err != nil {
		return err
	}
	for _, is := range s.engine.Settings {
		if set := s.settings[is.Name]; is.Name == "page_size" && set != "" && set != is.Value {
			return fmt.Errorf("%s has pages of %s bytes, not %s: load a new file with page_size=%[3]s", s.path, is.Value, set)
		}
	}
	return nil
}

// openReading opens the connections for reading, with caches of so many KiB together.
func (s *Store) openReading(ctx context.Context, caches int) (err error) {
	s.reading, err = sql.Open("sqlite", dsn(s.path, s.settings, "query_only(1)",
		fmt.Sprintf("cache_size(-%d)", caches/(s.options.Pool+1))))
	if err != nil {
		return err
	}
	s.reading.SetMaxOpenConns(2*s.options.Pool + 1) // those of the readers, and some for verify and the like
	s.reading.SetMaxIdleConns(s.options.Pool)
	s.readers, err = newReaders(ctx, s.reading, s.options.Pool)
	return err
}

// pageCaches returns how much of the file all connections for reading cache together, and how much the one that writes
// caches, in KiB. usable is the memory that there is, in bytes; 0 if that is unknown. Other pages come from the
// operating system's cache. It has each page once and not for each connection, so with little memory it gets the larger
// share. The cache for writing is small because SQLite looks through all of it at nearly every commit.
func pageCaches(usable int64) (reading, writing int) {
	reading, writing = 152<<10, 8<<10
	if usable > 0 {
		reading, writing = min(reading, int(usable>>14)), min(writing, int(usable>>15))
	}
	return reading, writing
}

// busyPragma is busyTimeout, in milliseconds.
const busyPragma = "busy_timeout(10000)"

// dsn returns a name for SQLite with the settings that each connection of a pool has.
func dsn(path string, settings Settings, pragmas ...string) string {
	return uri(path, url.Values{"_pragma": settings.pragmas(pragmas...)})
}

// uri returns a name for SQLite with settings.
func uri(path string, settings url.Values) string {
	opaque := (&url.URL{Path: path}).EscapedPath()
	return (&url.URL{Scheme: "file", Opaque: opaque, RawQuery: settings.Encode()}).String()
}

// existing returns a name for SQLite by which no database is made, only an existing one read (ro) or written (rw).
func existing(path, mode string) string {
	return uri(path, url.Values{"mode": {mode}, "_pragma": {busyPragma}})
}

// OpenFile opens an existing database as SQLite sees it, with one connection, for work below the documents.
func OpenFile(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", existing(path, "rw"))
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// withDatabase calls do with a database that has one connection, and closes it.
func withDatabase(name string, do func(*sql.DB) error) (err error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	return do(db)
}

// A queryer runs queries: a database, a connection or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// eachRow calls each with the rows of a query.
func eachRow(ctx context.Context, q queryer, query string, args []any, each func(*sql.Rows) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Close finishes the writes that run and closes the file. A second call does nothing.
func (s *Store) Close() (err error) {
	s.closing.Do(func() {
		if s.unwatch != nil {
			s.unwatch()
		}
		if s.writer != nil {
			err = s.writer.close()
		}
		if s.readers != nil {
			err = errors.Join(err, s.readers.close())
		}
		for _, db := range []*sql.DB{s.reading, s.writing} {
			if db != nil {
				err = errors.Join(err, db.Close())
			}
		}
		if s.lock != nil {
			err = errors.Join(err, s.lock.setAside(s.options.Notice), s.lock.Close())
		}
	})
	return err
}

func readDictionaries(ctx context.Context, q queryer) (map[kind][]byte, error) {
	dictionaries := make(map[kind][]byte)
	err := eachRow(ctx, q, "SELECT kind, body FROM dictionaries", nil, func(rows *sql.Rows) error {
		var k kind
		var body []byte
		err := rows.Scan(&k, &body)
		dictionaries[k] = body
		return err
	})
	return dictionaries, err
}

func readLeases(ctx context.Context, q queryer) (map[string]*atomic.Int64, error) {
	leases := make(map[string]*atomic.Int64)
	err := eachRow(ctx, q, "SELECT kind, next FROM leases", nil, func(rows *sql.Rows) error {
		var kind string
		var next int64
		err := rows.Scan(&kind, &next)
		leases[kind] = new(atomic.Int64)
		leases[kind].Store(next)
		return err
	})
	return leases, err
}

var lease = &statement{name: "lease"}

// Lease hands out ids above those of the dataset.
func (s *Store) Lease(ctx context.Context, kind string, count int64) (r tpox.Range, err error) {
	if err := tpox.CheckLease(kind, count); err != nil {
		return r, err
	}
	err = s.writer.write(ctx, func(t *transaction) error {
		var first int64
		err := t.row(lease, []any{kind, count, tpox.LastLease(count)}, &first)
		if errors.Is(err, sql.ErrNoRows) {
			return tpox.NoIDsLeft(kind, count)
		}
		r = tpox.Range{First: tpox.ID(first), Count: count}
		if err == nil {
			s.nextIDs[kind].Store(first + count) // too high if the commit fails, until the next lease
		}
		return err
	})
	return r, err
}
