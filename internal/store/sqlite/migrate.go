package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"brokerage/internal/store/archive"
)

//go:embed migrations/*.sql
var embedded embed.FS

// migrations returns the files that bring a schema up to date, in order: the n-th makes version n.
func (o Options) migrations() (fs.FS, []string, error) {
	files := o.files
	if files == nil {
		files = embedded
	}
	names, err := fs.Glob(files, "migrations/*.sql")
	slices.Sort(names)
	return files, names, err
}

// migrate brings the schema of a database up to date, and reports whether it made the database. All steps are one
// transaction: after an interruption at any point, the database has the old version or the newest.
func (s *Store) migrate(ctx context.Context) (made bool, err error) {
	files, names, err := s.options.migrations()
	if err != nil {
		return false, err
	}
	version, err := versionOf(ctx, s.writing, s.path, len(names))
	if s.to == 0 { // otherwise addSums has migrated it
		s.from, s.to = version, len(names)
	}
	if err != nil || version == len(names) {
		return false, err
	}
	if s.options.AsIs {
		if version == 0 {
			return false, errEmpty(s.path)
		}
		return false, s.errOlder(version, len(names))
	}
	if version == 0 {
		return true, domainError(apply(ctx, s.writing, files, names, 0))
	}
	copied, err := s.copyBefore(ctx, version, len(names), func(ctx context.Context, to string) error {
		_, err := s.writing.ExecContext(ctx, "VACUUM INTO ?", to)
		return err
	})
	if err != nil {
		return false, s.errNotMigrated(version, "", err)
	}
	if err := apply(ctx, s.writing, files, names[version:], version); err != nil {
		return false, s.errNotMigrated(version, copied, err)
	}
	return false, nil
}

func (s *Store) errOlder(version, newest int) error {
	return fmt.Errorf("%s has schema version %d, and this program has %d: "+
		"brokerage migrate brings it up to date, and keeps a copy", s.path, version, newest)
}

// errNotMigrated returns the error of a failed migration, and removes the copy that was made for it, if there is one:
// the database itself is unchanged, and the next attempt makes another copy.
func (s *Store) errNotMigrated(version int, copied string, err error) error {
	if copied != "" {
		err = errors.Join(err, os.Remove(copied))
	}
	return fmt.Errorf("%s is version %d as before: %w", s.path, version, domainError(err))
}

// versionOf returns the version of the schema of a database, which is the number of applied migrations, in SQLite's
// user_version. It refuses a database of another program.
func versionOf(ctx context.Context, db *sql.DB, path string, newest int) (version int, err error) {
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		var driver *sqlite.Error
		if errors.As(err, &driver) && driver.Code()&0xFF == sqlite3.SQLITE_NOTADB {
			return 0, fmt.Errorf("%s is not a database of this program: %w", path, err)
		}
		return 0, fmt.Errorf("%s: %w", path, domainError(err))
	}
	// The version alone proves nothing: other programs number their schemas too.
	var tables, ours int
	if err := db.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER
		(WHERE name IN ('orders', 'customers', 'securities', 'dictionaries', 'settings', 'leases'))
		FROM sqlite_schema WHERE type = 'table'`).Scan(&tables, &ours); err != nil {
		return 0, fmt.Errorf("%s: %w", path, domainError(err))
	}
	switch {
	case version == 0 && tables > 0, version > 0 && ours != 6:
		return 0, fmt.Errorf("%s is a database, but not of this program", path)
	case version > newest:
		return 0, fmt.Errorf("%s has schema version %d, and this program knows up to %d: use a newer release",
			path, version, newest)
	}
	return version, nil
}

// copyBefore copies the database before a migration. The copy gets its name when it is whole and on disk, and never
// replaces another file.
func (s *Store) copyBefore(
	ctx context.Context, from, to int, write func(ctx context.Context, to string) error,
) (path string, err error) {
	base := fmt.Sprintf("%s.version-%d", s.path, from)
	path = base
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
		path = fmt.Sprintf("%s-%d", base, n)
	}
	if s.options.Notice != nil {
		s.options.Notice(fmt.Sprintf("%s is being migrated from version %d to %d; version %d is kept as %s",
			s.path, from, to, from, path))
	}
	half := base + ".partial" // one that exists is of a killed process, because this one has the lock
	if err := os.Remove(half); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err = write(ctx, half); err == nil {
		err = syncFile(half)
	}
	if err == nil {
		err = os.Rename(half, path)
	}
	if err != nil {
		if removed := os.Remove(half); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
		return "", fmt.Errorf("a copy to %s: %w", path, err)
	}
	return path, archive.SyncFolder(filepath.Dir(path))
}

// syncFile flushes a file that SQLite has written without flushing it.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// apply runs migrations on a database of a version, in one transaction.
func apply(ctx context.Context, db *sql.DB, files fs.FS, names []string, version int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
		if program := programs[name]; program != nil && version > 0 {
			if err := program(ctx, tx); err != nil {
				return fmt.Errorf("migration %s: %w", name, err)
			}
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version+len(names))); err != nil {
		return err
	}
	return tx.Commit()
}

// Script returns the SQL that makes the newest schema in an empty file, for reading. Only this program can fill it,
// because documents are packed.
func Script() (string, error) {
	files, names, err := Options{}.migrations()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "-- The schema of brokerage in SQLite, version %d, for an empty file.\n\nBEGIN;\n", len(names))
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n-- migration %s\n\n%s\n", name, bytes.TrimSpace(text))
	}
	fmt.Fprintf(&b, "\nPRAGMA user_version = %d;\n\nCOMMIT;\n", len(names))
	return b.String(), nil
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
	if err := isOurs(ctx, path); err != nil {
		return err
	}
	// The database first: SQLite discards the journal of a database that is gone, but would take it for the journal of a
	// database that is made meanwhile.
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func isOurs(ctx context.Context, path string) (err error) {
	_, names, err := Options{}.migrations()
	if err != nil {
		return err
	}
	db, err := OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = versionOf(ctx, db, path, len(names))
	return err
}

func errEmpty(path string) error {
	return fmt.Errorf("%s is an empty file, not a database of this program", path)
}
