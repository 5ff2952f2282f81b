package campaign

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/sqlite"
)

// sqliteEngine is an embedded database: a file.
type sqliteEngine struct {
	path, backup string
	uncompressed bool
}

func newSQLite(path, folder string) (sqliteEngine, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return sqliteEngine{}, err
	}
	name := filepath.Base(path)
	return sqliteEngine{path: path, backup: filepath.Join(folder, name+".backup.zst")}, nil
}

func (e sqliteEngine) URL() string { return store.SQLite + ":" + e.path }

// Lacks nothing.
func (e sqliteEngine) Lacks(Kind) string { return "" }

// with calls do with the open database.
func (e sqliteEngine) with(ctx context.Context, do func(*sqlite.Store) error) (err error) {
	s, err := sqlite.Open(ctx, e.path, sqlite.Options{Uncompressed: e.uncompressed})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(s)
}

// plain calls do with the database as plain SQLite.
func (e sqliteEngine) plain(do func(*sql.DB) error) (err error) {
	db, err := sqlite.OpenFile(e.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return do(db)
}

// Holds does not open a file that does not exist, since that would create it.
func (e sqliteEngine) Holds(ctx context.Context) (name string, err error) {
	info, err := os.Stat(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", archive.RequireFolder(e.path) // it is not for a campaign to make
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", e.path)
	case info.Size() == 0:
		return "", nil
	}
	err = e.with(ctx, func(s *sqlite.Store) error {
		name, err = holds(ctx, s)
		return err
	})
	return name, err
}

func (e sqliteEngine) Create(ctx context.Context) error {
	if info, err := os.Stat(e.path); err == nil && info.Size() > 0 {
		if err := sqlite.Remove(ctx, e.path); err != nil {
			return err
		}
	}
	return e.with(ctx, func(*sqlite.Store) error { return nil })
}

func (e sqliteEngine) Load(ctx context.Context, d *dataset.Dataset, progress func(int, int64)) error {
	return e.with(ctx, func(s *sqlite.Store) error { return s.LoadDataset(ctx, d, progress) })
}

func (e sqliteEngine) Loaded(ctx context.Context, k dataset.Kind) (n int64, err error) {
	err = e.with(ctx, func(s *sqlite.Store) error {
		n, err = s.LoadedDocuments(ctx, k)
		return err
	})
	return n, err
}

func (e sqliteEngine) Statistics(ctx context.Context) error {
	return e.plain(func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, "ANALYZE")
		return err
	})
}

func (e sqliteEngine) Space(ctx context.Context) (out Space, err error) {
	err = e.with(ctx, func(s *sqlite.Store) error {
		out, err = measureSpace(ctx, s)
		return err
	})
	return out, err
}

// Describe opens the database, which no service has open. A result may be published, so it names the file without its
// folder.
func (e sqliteEngine) Describe(ctx context.Context) (s Store, err error) {
	at, err := sqlite.Open(ctx, e.path, sqlite.Options{Uncompressed: e.uncompressed, AsIs: true})
	if err != nil {
		return s, err
	}
	url := store.SQLite + ":" + filepath.Base(e.path)
	return described(url, "by the project's schemas, in the service", at.Describe()), at.Close()
}

func (e sqliteEngine) Backup(ctx context.Context) (Copy, error) {
	done, err := sqlite.BackupTo(ctx, e.path, e.backup, true, nil)
	return Copy{Database: done.Bytes, File: done.Written}, err
}

func (e sqliteEngine) Restore(ctx context.Context) (Copy, error) {
	info, err := os.Stat(e.backup)
	if err != nil {
		return Copy{}, err
	}
	m, err := sqlite.Restore(ctx, e.backup, e.path, true, nil)
	return Copy{Database: m.Bytes, File: info.Size()}, err
}

func (e sqliteEngine) BackedUp() bool {
	_, err := sqlite.ReadManifest(e.backup)
	return err == nil
}

func (e sqliteEngine) Discard() error { return removeIfThere(e.backup) }

func (e sqliteEngine) Remove(ctx context.Context) error {
	if err := e.Discard(); err != nil {
		return err
	}
	path, err := filepath.EvalSymlinks(e.path) // by which the lock is named
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if err := sqlite.Remove(ctx, path); err != nil {
		return err
	}
	return os.Remove(path + "-lock")
}

// Pace is below what was measured at XXXS on two cores, so that the plan holds.
func (e sqliteEngine) Pace() Pace { return Pace{Load: 30e6, Backup: 100e6, Restore: 80e6} }

// The stored share of documents, with keys and indexes, and the bytes by which inserts can make a database grow in a
// second: both somewhat above what was measured.
const (
	packedShare, plainShare = 0.45, 1.25
	growth                  = 15e6
)

// Room is for the database, its backup, the copy that a restore makes, and what inserts add.
func (e sqliteEngine) Room(d *dataset.Dataset, inserting float64) (string, float64) {
	share := packedShare
	if e.uncompressed {
		share = plainShare
	}
	const journal = 100e6
	return filepath.Dir(e.path), 3*share*rawBytes(d) + inserting*growth + journal
}

// Variants are numbers of connections for reading, and documents without compression. The embedded store has no list of
// settings to tune as a server has.
func (e sqliteEngine) Variants(cores int) []Variant {
	return []Variant{
		{Name: "pool " + fmt.Sprint(cores), Description: "one connection for reading for each core instead of two",
			Pool: cores},
		{Name: "pool " + fmt.Sprint(8*cores), Description: "eight connections for reading for each core instead of two",
			Pool: 8 * cores},
		{Name: "uncompressed", Description: "documents stored without compression, in a separate database",
			Uncompressed: true},
	}
}

func (e sqliteEngine) As(v Variant) Engine {
	if v.Uncompressed && !e.uncompressed {
		e.uncompressed = true
		e.path += ".uncompressed"
		e.backup = filepath.Join(filepath.Dir(e.backup), filepath.Base(e.path)+".backup.zst")
	}
	return e
}
