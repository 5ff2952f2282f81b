package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	sqlite3 "modernc.org/sqlite/lib"

	"brokerage/internal/output"
	"brokerage/internal/store"
)

//go:embed schema.sql
var schemaText string

// ensureSchema makes the schema in an empty file, and refuses a database of another version or program. Meanwhile the
// lock on the file keeps other processes out.
func (s *Store) ensureSchema(ctx context.Context) error {
	stamp, made, err := store.Schema{
		Stamp: func(ctx context.Context) (store.Stamp, bool, error) { return stampOf(ctx, s.writing) },
		Make: func(ctx context.Context) (bool, error) {
			_, err := s.writing.ExecContext(ctx, "BEGIN; "+schemaText+"COMMIT") // after an error, Open closes the connection
			if err == nil {
				err = output.SyncFolder(filepath.Dir(s.path)) // SQLite flushes the file, but not the folder
			}
			return true, err
		},
	}.Ensure(ctx, s.options.AsIs)
	s.stamp, s.made = stamp, made
	if errors.Is(err, store.ErrEmpty) {
		return errEmpty(s.path)
	}
	return openError(s.path, err)
}

func openError(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("open database %s: %w", path, domainError(err))
}

func errEmpty(path string) error {
	return fmt.Errorf("%s is an empty file, not a database of this program", path)
}

// stampOf returns the stamp of a database, and reports whether it is empty. It refuses a database of another program.
func stampOf(ctx context.Context, db *sql.DB) (stamp store.Stamp, empty bool, err error) {
	var tables, ours int
	err = db.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER
		(WHERE name IN ('orders', 'customers', 'securities', 'dictionaries', 'settings', 'leases'))
		FROM sqlite_schema WHERE type = 'table'`).Scan(&tables, &ours)
	switch {
	case codeOf(err)&0xFF == sqlite3.SQLITE_NOTADB:
		return stamp, false, fmt.Errorf("it is not a database of this program: %w", err)
	case err != nil:
		return stamp, false, err
	case tables == 0:
		return stamp, true, nil
	case ours != 6:
		return stamp, false, errors.New("it is a database, but not of this program")
	}
	var version string
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(value) FILTER (WHERE name = ?1), '0'),
		coalesce(max(value) FILTER (WHERE name = ?2), '') FROM settings WHERE name IN (?1, ?2)`,
		store.SettingVersion, store.SettingIdentity).Scan(&version, &stamp.Identity)
	if err == nil {
		stamp.Version, err = strconv.Atoi(version)
	}
	return stamp, false, err
}

// Made reports whether Open has made the schema.
func (s *Store) Made() bool { return s.made }

// Remove removes a closed database of this program, of any version, or an empty file. It refuses any other file. A
// symbolic link to the database stays.
func Remove(ctx context.Context, path string) (err error) {
	lock, err := lockDatabase(path, false)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // nothing is written to it
	path = lock.path
	err = withDatabase(existing(path, "rw"), func(db *sql.DB) error {
		_, _, err := stampOf(ctx, db)
		return openError(path, err)
	})
	if err != nil {
		return err
	}
	// The database first: a lone journal is refused, but a database without its journal would be opened without the
	// last writes.
	return removeAll(path, path+"-wal", path+"-shm")
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
