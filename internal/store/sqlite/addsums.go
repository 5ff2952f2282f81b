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
		return &brokerage.Damaged{Cause: fmt.Errorf("%s: keep both files, and restore the last backup", damage)}
	})
}

// addSums migrates a database of a version without checksums: it writes a new file beside the database, migrates that
// and renames it. After an interruption at any point, the old database is there or the new one, whole. It does nothing
// to any other database.
func (s *Store) addSums(ctx context.Context) error {
	info, err := os.Stat(s.path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil // it is made later
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
