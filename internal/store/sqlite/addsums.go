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

// firstWithSums is the version of the schema from which on every page of a
// database has a checksum.
const firstWithSums = 2

// checkJournal refuses a database of which a restart would lose, without a word,
// what was acknowledged. A load flushes less often, so that its journal proves
// nothing; but it knows how far it has come.
func (s *Store) checkJournal(ctx context.Context) (err error) {
	damage, err := pagesum.CheckJournal(s.path)
	if damage == "" || err != nil {
		return err
	}
	// Read-only: whoever closes a database in another way takes its journal away.
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

// addSums brings a database of a version without checksums up to date: all of
// it is written anew beside its place, migrated there, and put there by one
// rename. Ended at any point, the old database is there or the new one, whole.
// It does nothing to any other, and tells whether it did.
func (s *Store) addSums(ctx context.Context) (done bool, err error) {
	if info, err := os.Stat(s.path); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return false, nil // it is yet to be made
	}
	old, err := OpenFile(s.path)
	if err != nil {
		return false, err
	}
	defer func() {
		if old != nil {
			err = errors.Join(err, old.Close())
		}
	}()
	files, names, err := s.options.migrations()
	if err != nil {
		return false, err
	}
	version, err := versionOf(ctx, old, s.path, len(names))
	if err != nil || version == 0 || version >= firstWithSums {
		return false, err
	}
	s.from, s.to = version, len(names)
	if s.options.AsIs {
		return false, s.errOlder(version, len(names))
	}
	copied, err := s.copyBefore(ctx, version, len(names), s.copyPlain)
	if err != nil {
		return false, fmt.Errorf("%s is version %d as before: %w", s.path, version, domainError(err))
	}
	info, err := os.Stat(s.path)
	if err == nil {
		err = archive.WriteWhole(ctx, s.path, info.Mode().Perm(), func(half *os.File) error {
			if _, err := old.ExecContext(ctx, "VACUUM INTO ?", uri(half.Name(), url.Values{pagesum.Parameter: {"1"}})); err != nil {
				return err
			}
			if err := migrateCopy(half.Name(), func(db *sql.DB) error { return apply(ctx, db, files, names[version:], version) }); err != nil {
				return err
			}
			if err := half.Sync(); err != nil {
				return err
			}
			err := old.Close()
			old = nil
			return errors.Join(err, settle(ctx, s.path))
		})
	}
	if err != nil {
		// What the copy is of is still there, and the next attempt makes another.
		err = errors.Join(err, os.Remove(copied))
		return false, fmt.Errorf("%s is version %d as before: %w", s.path, version, domainError(err))
	}
	return true, nil
}

// migrateCopy does something with a database that is thrown away if it fails,
// and flushed by the caller if not: it has no journal.
func migrateCopy(path string, do func(*sql.DB) error) (err error) {
	db, err := sql.Open("sqlite", uri(path, url.Values{pagesum.Parameter: {"1"}, "_pragma": {"journal_mode(MEMORY)", "synchronous(OFF)"}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	return do(db)
}

// copyPlain copies a database as it is, for programs that know of no checksums.
func (s *Store) copyPlain(ctx context.Context, to string) (err error) {
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	return err
}
