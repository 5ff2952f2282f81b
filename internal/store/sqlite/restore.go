package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"brokerage/internal/output"
	"brokerage/internal/store"
)

// Restore writes the database in a backup to path. It changes nothing there before the whole backup was verified, and
// replaces an existing database only on request. After an interruption at any point, even by kill -9 or a power
// failure, either the old or the new database is there, complete.
func Restore(
	ctx context.Context, file, path string, replace bool, progress byteProgress,
) (m store.Manifest, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the database is replaced, not the link to it
	}
	b, err := store.OpenBackup(file, Scheme)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	database := output.File{Path: path, Kind: output.Database, New: !replace, Inputs: []string{file}}
	if err := database.Check(); err != nil {
		return m, err
	}
	if _, missing := os.Lstat(path); missing == nil { // a database in use is refused before the backup is unpacked
		lock, err := lockDatabase(path, false)
		if err != nil {
			return m, err
		}
		defer func() { _ = lock.Close() }() // nothing is written to it
	} else if err := checkBeside(path, nil); err != nil {
		return m, err
	}
	var done int64
	read := func(bytes int64) {
		done += bytes
		if progress != nil {
			progress(done, b.Bytes)
		}
	}
	database.Mode = private
	if old, err := os.Stat(path); err == nil {
		database.Mode = old.Mode().Perm()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	// This writes a file beside path, and renames it when it is complete and on disk.
	return b.Manifest, database.Write(ctx, func(half *os.File) error {
		if err := b.Unpack(ctx, half, read); err != nil {
			return err
		}
		if err := checkRestored(ctx, half.Name(), b.Manifest); err != nil {
			return err
		}
		if err := half.Sync(); err != nil {
			return err
		}
		return settle(ctx, path)
	})
}

// checkRestored checks the database with SQLite, because a backup of a damaged database holds the damage.
func checkRestored(ctx context.Context, path string, m store.Manifest) error {
	var stamp store.Stamp
	var finding string
	// Immutable: it is read without a journal beside it.
	name := uri(path, url.Values{"mode": {"ro"}, "immutable": {"1"}})
	err := withDatabase(name, func(db *sql.DB) (err error) {
		if stamp, _, err = stampOf(ctx, db); err == nil {
			err = db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&finding)
		}
		return err
	})
	const damaged = "the database in the backup is damaged, and was already damaged when the backup was made"
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%s: %w", damaged, err)
	case finding != "ok":
		return fmt.Errorf("%s: %s", damaged, finding[strings.LastIndexByte(finding, '\n')+1:])
	case stamp != store.Stamp{Version: m.Schema, Identity: m.Identity}:
		return fmt.Errorf("the database in the backup has schema version %d and identity %s instead of %d and %s",
			stamp.Version, stamp.Identity, m.Schema, m.Identity)
	}
	return nil
}

// settle moves the journal of the database at path, if there is one, into its file, so that one rename replaces the
// whole database. A journal left until after the rename could be read as that of the new database; one removed before
// would leave the old database without its last writes. settle refuses a database of another program, which a restore
// must not replace, but not one of another version of this program.
func settle(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if err := checkBeside(path, info); err != nil {
		return err
	}
	if err == nil {
		err = withDatabase(existing(path, "rw"), func(db *sql.DB) error {
			if _, _, err := stampOf(ctx, db); err != nil {
				return openError(path, err)
			}
			var busy, frames, moved int
			err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
			if err != nil {
				return readError(ctx, path, err)
			}
			if busy != 0 {
				return fmt.Errorf("%s is being read by another process, such as a backup", path)
			}
			return nil
		})
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !isDamage(err) {
		return err
	}
	// A journal that is left is empty, or of a database that is damaged.
	if err := removeAll(path+"-wal", path+"-journal", path+"-shm"); err != nil {
		return err
	}
	return output.SyncFolder(filepath.Dir(path))
}
