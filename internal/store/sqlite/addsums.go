package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/bulk"
	"brokerage/internal/store/sqlite/pagesum"
)

// firstWithSums is the first version of the schema in which every page of a database has a checksum.
const firstWithSums = 2

// checkJournal refuses a database whose journal is damaged so that SQLite would silently drop acknowledged writes. It
// does not refuse one in the middle of a load: a load flushes less often, so that its journal proves nothing, but it
// records how far it has come.
func (s *Store) checkJournal(ctx context.Context) (err error) {
	damage, err := pagesum.CheckJournal(s.path)
	if damage == "" || err != nil {
		return err
	}
	// Read-only, because closing a database that can be written removes its journal.
	db, err := sql.Open("sqlite", readOnly(s.path, url.Values{"_pragma": {"busy_timeout(10000)"}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var loading string
	err = db.QueryRowContext(ctx, "SELECT value FROM settings WHERE name = ?", bulk.SettingLoading).Scan(&loading)
	if err == nil {
		return nil
	}
	return &brokerage.Damaged{Cause: fmt.Errorf("%s: keep both files, and restore the last backup", damage)}
}

// addSums migrates a database of a version without checksums: it writes a new file beside the database, migrates that
// and renames it. After an interruption at any point, the old database is there or the new one, whole. It does nothing
// to any other database.
func (s *Store) addSums(ctx context.Context) (err error) {
	if info, err := os.Stat(s.path); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil // it is made later
	}
	old, err := OpenFile(s.path)
	if err != nil {
		return err
	}
	defer func() {
		if old != nil {
			err = errors.Join(err, old.Close())
		}
	}()
	files, names, err := s.options.migrations()
	if err != nil {
		return err
	}
	version, err := versionOf(ctx, old, s.path, len(names))
	if err != nil || version == 0 || version >= firstWithSums {
		return err
	}
	s.from, s.to = version, len(names)
	if s.options.AsIs {
		return s.errOlder(version, len(names))
	}
	copied, err := s.copyBefore(ctx, version, len(names), s.copyPlain)
	if err != nil {
		return s.errNotMigrated(version, "", err)
	}
	info, err := os.Stat(s.path)
	if err == nil {
		err = archive.WriteWhole(ctx, s.path, info.Mode().Perm(), func(half *os.File) error {
			target := uri(half.Name(), url.Values{pagesum.Parameter: {"1"}})
			if _, err := old.ExecContext(ctx, "VACUUM INTO ?", target); err != nil {
				return err
			}
			err := migrateCopy(half.Name(), func(db *sql.DB) error {
				return apply(ctx, db, files, names[version:], version)
			})
			if err != nil {
				return err
			}
			if err := half.Sync(); err != nil {
				return err
			}
			err = old.Close()
			old = nil
			return errors.Join(err, settle(ctx, s.path))
		})
	}
	if err != nil {
		return s.errNotMigrated(version, copied, err)
	}
	return s.lock.relock()
}

// migrateCopy calls do with a database that the caller removes if it fails, and flushes if not, so that it needs no
// journal.
func migrateCopy(path string, do func(*sql.DB) error) (err error) {
	settings := url.Values{pagesum.Parameter: {"1"}, "_pragma": {"journal_mode(MEMORY)", "synchronous(OFF)"}}
	db, err := sql.Open("sqlite", uri(path, settings))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	return do(db)
}

// copyPlain copies a database without adding checksums, for the programs of its version.
func (s *Store) copyPlain(ctx context.Context, to string) (err error) {
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	return err
}
