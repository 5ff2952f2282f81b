package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strings"
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
	store.LoadRecord

	path     string
	settings map[string]string // of the URL
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
	nextIDs  map[string]*atomic.Int64 // the next to lease, as of Open or the last lease; the map does not change
	redone   atomic.Int64             // revisions that were planned again
	closing  sync.Once
	unwatch  func() // ends the watch over the files; nil if there is none

	stamp store.Stamp
	made  bool // whether Open has made the schema

	purged time.Time // when a purge last left no expired answers; only the writer uses it
}

var _ tpox.Store = (*Store)(nil)

// Open opens the database that a URL (sqlite:PATH or the path alone) names. It makes a missing one, unless AsIs is set.
func Open(ctx context.Context, url string, options store.Options) (*Store, error) {
	path, settings, err := parse(url)
	if err != nil {
		return nil, err
	}
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
	// This is checked before anything is written: the file may be of another program.
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
	if size := s.settings["page_size"]; empty && size != "" { // the first write makes it permanent
		err := withDatabase(existing(s.path, "rw"), func(db *sql.DB) error {
			_, err := db.ExecContext(ctx, "PRAGMA page_size = "+size+"; PRAGMA user_version = 0")
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := s.connect(ctx); err != nil {
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

// connect opens the connections, makes the schema in an empty file, and reads what the store keeps in memory.
func (s *Store) connect(ctx context.Context) (err error) {
	// These are the sizes of caches in KiB: reading is for all readers together, writing for the writer. Other pages come
	// from the operating system's cache. That holds each page once and not for each connection, so with little memory it
	// gets the larger share. The writer's cache is small because SQLite looks through all of it at nearly every commit.
	reading, writing := 152<<10, 8<<10
	if usable := probe.Here.UsableMemory(); usable > 0 {
		reading, writing = min(reading, int(usable>>14)), min(writing, int(usable>>15))
	}
	s.writing, err = sql.Open("sqlite", s.dsn("synchronous(FULL)",
		fmt.Sprintf("cache_size(-%d)", writing), fmt.Sprintf("wal_autocheckpoint(%d)", journalPages)))
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
	dictionaries, err := readDictionaries(ctx, s.writing)
	if err != nil {
		return err
	}
	codec, err := newCodec(dictionaries, s.options.Uncompressed)
	if err != nil {
		return err
	}
	s.codec.Store(codec)
	s.nextIDs = make(map[string]*atomic.Int64)
	err = eachRow(ctx, s.writing, "SELECT kind, next FROM leases", nil, func(rows *sql.Rows) error {
		var kind string
		var next int64
		err := rows.Scan(&kind, &next)
		s.nextIDs[kind] = new(atomic.Int64)
		s.nextIDs[kind].Store(next)
		return err
	})
	if err != nil {
		return err
	}
	s.reading, err = sql.Open("sqlite", s.dsn("query_only(1)",
		fmt.Sprintf("cache_size(-%d)", reading/(s.options.Pool+1))))
	if err != nil {
		return err
	}
	s.reading.SetMaxOpenConns(2*s.options.Pool + 1) // those of the readers, and some for verify and the like
	s.reading.SetMaxIdleConns(s.options.Pool)
	s.readers, err = newReaders(ctx, s.reading, s.options.Pool)
	return err
}

// busyPragma is busyTimeout, in milliseconds.
const busyPragma = "busy_timeout(10000)"

// dsn returns a name for SQLite with the pragmas of a connection: the store's own, each NAME(VALUE), unless the URL
// sets them, and the URL's. The driver runs busy_timeout first, then the others in alphabetical order.
func (s *Store) dsn(own ...string) string {
	pragmas := []string{busyPragma, "journal_mode(WAL)"}
	for _, pragma := range own {
		if name, _, _ := strings.Cut(pragma, "("); s.settings[name] == "" {
			pragmas = append(pragmas, pragma)
		}
	}
	for name, value := range s.settings {
		pragmas = append(pragmas, name+"("+value+")")
	}
	return uri(s.path, url.Values{"_pragma": pragmas})
}

// uri returns a name for SQLite with settings.
func uri(path string, settings url.Values) string {
	opaque := (&url.URL{Path: path}).EscapedPath()
	return (&url.URL{Scheme: "file", Opaque: opaque, RawQuery: settings.Encode()}).String()
}

// existing returns a name with which SQLite opens a database to read (mode ro) or write (rw), but makes none.
func existing(path, mode string) string {
	return uri(path, url.Values{"mode": {mode}, "_pragma": {busyPragma}})
}

// OpenFile opens an existing database with one connection, and takes no lock of the store. It is for tests.
func OpenFile(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", existing(path, "rw"))
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// withDatabase opens a database with one connection, calls do(db), and closes the database.
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

// eachRow calls each(rows) for every row of a query, until that returns an error.
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
