package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"brokerage/internal/store/archive"
	"brokerage/internal/store/bulk"
	"brokerage/internal/store/sqlite/pagesum"
	"brokerage/internal/tpox"
)

//go:embed migrations/*.sql
var embedded embed.FS

// A migration brings a schema to the next version.
type migration struct{ name, text string }

// migrations bring a schema up to date, in order: the n-th makes version n.
var migrations = readMigrations()

// newest is the newest version of the schema.
var newest = len(migrations)

// readMigrations panics when an embedded file cannot be read.
func readMigrations() (all []migration) {
	names, err := fs.Glob(embedded, "migrations/*.sql") // in their order
	for _, name := range names {
		text, failed := embedded.ReadFile(name)
		err = errors.Join(err, failed)
		all = append(all, migration{name, string(text)})
	}
	if err != nil {
		panic(err)
	}
	return all
}

// migrate brings the schema of a database up to date. All steps are one transaction: after an interruption at any
// point, the database has the old version or the newest.
func (s *Store) migrate(ctx context.Context) error {
	all := s.options.migrations
	version, err := versionOf(ctx, s.writing, s.path, len(all))
	if s.to == 0 { // otherwise addSums has migrated it
		s.from, s.to = version, len(all)
	}
	switch {
	case err != nil || version == len(all):
		return err
	case s.options.AsIs && version == 0:
		return errEmpty(s.path)
	case s.options.AsIs:
		return s.errOlder(version)
	case version == 0:
		if err := apply(ctx, s.writing, all, 0); err != nil {
			return domainError(err)
		}
		return archive.SyncFolder(filepath.Dir(s.path)) // SQLite flushes the file, but not the folder
	}
	copied, err := s.copyBefore(version, func(to string) error {
		_, err := s.writing.ExecContext(ctx, "VACUUM INTO ?", to)
		return err
	})
	if err == nil {
		err = apply(ctx, s.writing, all, version)
	}
	return s.notMigrated(version, copied, err)
}

func errEmpty(path string) error {
	return fmt.Errorf("%s is an empty file, not a database of this program", path)
}

func (s *Store) errOlder(version int) error {
	return fmt.Errorf("%s has schema version %d, and this program has %d: "+
		"brokerage migrate brings it up to date, and keeps a copy", s.path, version, len(s.options.migrations))
}

// notMigrated returns the error of a failed migration, and removes the copy that was made for it, if there is one: the
// database itself is unchanged, and the next attempt makes another copy.
func (s *Store) notMigrated(version int, copied string, err error) error {
	if err == nil {
		return nil
	}
	if copied != "" {
		err = errors.Join(err, os.Remove(copied))
	}
	return fmt.Errorf("%s still has version %d: %w", s.path, version, domainError(err))
}

// versionOf returns the version of the schema of a database, which is the number of applied migrations, in SQLite's
// user_version. It refuses a database of another program.
func versionOf(ctx context.Context, db *sql.DB, path string, newest int) (version int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	if codeOf(err)&0xFF == sqlite3.SQLITE_NOTADB {
		return 0, fmt.Errorf("%s is not a database of this program: %w", path, err)
	}
	// The version alone proves nothing: other programs number their schemas too.
	var tables, ours int
	if err == nil {
		err = db.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER
			(WHERE name IN ('orders', 'customers', 'securities', 'dictionaries', 'settings', 'leases'))
			FROM sqlite_schema WHERE type = 'table'`).Scan(&tables, &ours)
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s: %w", path, domainError(err))
	case version == 0 && tables > 0, version > 0 && ours != 6:
		return 0, fmt.Errorf("%s is a database, but not of this program", path)
	case version > newest:
		return 0, fmt.Errorf("%s has schema version %d, but this program supports up to %d: use a newer release",
			path, version, newest)
	}
	return version, nil
}

// copyBefore copies the database before a migration, and returns the path of the copy. The copy gets its name when it
// is whole and on disk, and never replaces another file.
func (s *Store) copyBefore(version int, write func(to string) error) (path string, err error) {
	base := fmt.Sprintf("%s.version-%d", s.path, version)
	path = base
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
		path = fmt.Sprintf("%s-%d", base, n)
	}
	s.options.Notice(fmt.Sprintf("%s is being migrated from version %d to %d; version %d is kept as %s",
		s.path, version, len(s.options.migrations), version, path))
	half := base + ".partial" // an existing one is left by a killed process, because this process has the lock
	if err := removeAll(half); err != nil {
		return "", err
	}
	if err = write(half); err == nil {
		err = syncFile(half)
	}
	if err == nil {
		err = os.Rename(half, path)
	}
	if err != nil {
		return "", fmt.Errorf("copying to %s: %w", path, errors.Join(err, removeAll(half)))
	}
	return path, archive.SyncFolder(filepath.Dir(path))
}

// removeAll removes those of the files that exist.
func removeAll(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// syncFile flushes a file that SQLite has written without flushing it.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// apply runs the migrations after a version, in one transaction.
func apply(ctx context.Context, db *sql.DB, all []migration, version int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	for _, m := range all[version:] {
		_, err := tx.ExecContext(ctx, m.text)
		if program := programs[m.name]; err == nil && program != nil && version > 0 {
			err = program(ctx, tx)
		}
		if err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(all))); err != nil {
		return err
	}
	return tx.Commit()
}

// Script returns the SQL that makes the newest schema in an empty file, for reading. Only this program can fill it,
// because documents are packed.
func Script() string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- The schema of brokerage in SQLite, version %d, for an empty file.\n\nBEGIN;\n", newest)
	for _, m := range migrations {
		fmt.Fprintf(&b, "\n-- migration %s\n\n%s\n", m.name, strings.TrimSpace(m.text))
	}
	fmt.Fprintf(&b, "\nPRAGMA user_version = %d;\n\nCOMMIT;\n", newest)
	return b.String()
}

// Migrated returns the versions of the schema before and after Open.
func (s *Store) Migrated() (from, to int) { return s.from, s.to }

// Remove removes a closed database of this program, of any version. It refuses any other file, and leaves a symbolic
// link to the database.
func Remove(ctx context.Context, path string) (err error) {
	lock, err := lockDatabase(path, false)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // nothing is written to it
	path = lock.path
	err = withDatabase(existing(path, "rw"), func(db *sql.DB) error {
		_, err := versionOf(ctx, db, path, newest)
		return err
	})
	if err != nil {
		return err
	}
	// The database first: SQLite discards the journal of a database that is gone, but would take it for the journal of a
	// database that is made meanwhile.
	return removeAll(path, path+"-wal", path+"-shm")
}

// firstWithSums is the first version of the schema in which every page of a database has a checksum.
const firstWithSums = 2

// checkJournal refuses a database whose journal is damaged so that SQLite would silently drop acknowledged writes. It
// does not refuse one in the middle of a load: a load flushes less often, so that its journal proves nothing, but it
// records how far it has come.
func (s *Store) checkJournal(ctx context.Context) error {
	damage, err := pagesum.CheckJournal(s.path)
	if damage == "" || err != nil {
		return err
	}
	// Read-only, because closing a database that can be written removes its journal.
	return withDatabase(existing(s.path, "ro"), func(db *sql.DB) error {
		var loading string
		query := "SELECT value FROM settings WHERE name = ?"
		if err := db.QueryRowContext(ctx, query, bulk.SettingLoading).Scan(&loading); err == nil {
			return nil
		}
		return &tpox.Damaged{Cause: fmt.Errorf("%s: keep both files, and restore the last backup", damage)}
	})
}

// addSums migrates a database of a version without checksums: it writes a new file beside the database, migrates that
// and renames it. After an interruption at any point, the old database is there or the new one, whole. It does nothing
// to any other database.
func (s *Store) addSums(ctx context.Context) error {
	info, err := os.Stat(s.path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil // it is created later
	} else if err != nil {
		return err
	}
	all, version := s.options.migrations, 0
	err = withDatabase(existing(s.path, "rw"), func(db *sql.DB) (err error) {
		version, err = versionOf(ctx, db, s.path, len(all))
		return err
	})
	if err != nil || version == 0 || version >= firstWithSums {
		return err
	}
	s.from, s.to = version, len(all)
	if s.options.AsIs {
		return s.errOlder(version)
	}
	vacuumInto := func(to string) func(*sql.DB) error {
		return func(db *sql.DB) error {
			_, err := db.ExecContext(ctx, "VACUUM INTO ?", to)
			return err
		}
	}
	copied, err := s.copyBefore(version, func(to string) error {
		return withDatabase(s.path, vacuumInto(to)) // without checksums, for the programs of its version
	})
	if err != nil {
		return s.notMigrated(version, copied, err)
	}
	err = archive.WriteWhole(ctx, s.path, info.Mode().Perm(), func(half *os.File) error {
		sums := url.Values{pagesum.Parameter: {"1"}}
		if err := withDatabase(existing(s.path, "rw"), vacuumInto(uri(half.Name(), sums))); err != nil {
			return err
		}
		sums["_pragma"] = []string{"journal_mode(MEMORY)", "synchronous(OFF)"} // removed on failure, flushed at the end
		err := withDatabase(uri(half.Name(), sums), func(db *sql.DB) error { return apply(ctx, db, all, version) })
		if err == nil {
			err = half.Sync()
		}
		if err == nil {
			err = settle(ctx, s.path)
		}
		return err
	})
	if err != nil {
		return s.notMigrated(version, copied, err)
	}
	return s.lock.relock()
}
