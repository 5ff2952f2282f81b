package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"brokerage/internal/output"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// byteProgress is called with the bytes done so far and their total; it may be nil.
type byteProgress = func(done, total int64)

// Backup writes a backup of the database at path, in its state when Backup begins. Another process may write to the
// database meanwhile: Backup takes no lock that a writer would wait for, and never makes or changes a database. But the
// journal of the database grows until the backup ends, because SQLite keeps what a reader may still need. If no other
// process has the database open, an empty journal stays beside it; the next process that opens the database removes it.
// Backup does not remove the journal: it could be that of a process which is just starting.
func Backup(
	ctx context.Context, path string, to io.Writer, progress byteProgress,
) (m store.Manifest, written int64, err error) {
	before, err := os.Stat(path)
	if err == nil {
		err = hasOneName(path, before)
	}
	if err != nil {
		return m, 0, err
	}
	target, err := filepath.EvalSymlinks(path) // beside which SQLite finds the journal
	if err == nil {
		err = checkBeside(target, before)
	}
	if err != nil {
		return m, 0, err
	}
	// One connection, so that everything is read in this transaction.
	err = withDatabase(existing(path, "ro"), func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, "BEGIN")
		if err != nil {
			return readError(ctx, path, err)
		}
		if m, err = manifestOf(ctx, db, path); err != nil {
			return err
		}
		out := store.NewDigest(to)
		if err := copyPages(ctx, db, path, out, &m, progress); err != nil {
			return err
		}
		err = m.Seal(out)
		written = out.Bytes
		return err
	})
	if err != nil {
		return m, 0, err
	}
	// A restore may have replaced the database, and SQLite opens the journal by name, after the database.
	after, err := os.Stat(path)
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("%s was replaced by another file during the backup", path)
	}
	return m, written, err
}

// readError adds the name of the database to an error of reading, unless ctx has ended.
func readError(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w", path, err)
}

// manifestOf returns the manifest of the database in the open transaction, still without SHA256.
func manifestOf(ctx context.Context, db *sql.DB, path string) (m store.Manifest, err error) {
	m = store.Manifest{Format: store.BackupFormat, Engine: Scheme, Time: time.Now().UTC().Truncate(time.Second)}
	stamp, empty, err := stampOf(ctx, db)
	if empty {
		return m, errEmpty(path)
	}
	if err == nil {
		err = stamp.Check()
	}
	if err != nil {
		return m, openError(path, err)
	}
	m.Schema, m.Identity = stamp.Version, stamp.Identity
	var contents string
	err = db.QueryRowContext(ctx, `
		SELECT page_count * page_size, page_size, coalesce((SELECT value FROM settings WHERE name = ?), '{}')
		FROM pragma_page_count, pragma_page_size`, store.SettingContents).Scan(&m.Bytes, &m.PageSize, &contents)
	if err != nil {
		return m, readError(ctx, path, err)
	}
	var c tpox.Contents
	if err := json.Unmarshal([]byte(contents), &c); err != nil {
		return m, fmt.Errorf("%s: reading its contents: %w", path, err)
	}
	m.Fingerprint = c.Fingerprint
	return m, nil
}

// copyPages packs the pages of the database, in the order of the file, and notes their checksum.
func copyPages(
	ctx context.Context, db *sql.DB, path string, out io.Writer, m *store.Manifest, progress byteProgress,
) error {
	// The fastest level, because the documents are packed already.
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	packer.ResetContentSize(out, m.Bytes)
	raw := store.NewDigest(packer)
	report := func() {
		if progress != nil {
			progress(raw.Bytes, m.Bytes)
		}
	}
	var page sql.RawBytes
	var reported int64
	var failed error
	// sqlite_dbpage has the pages as this transaction sees them, journal included.
	err = eachRow(ctx, db, "SELECT data FROM sqlite_dbpage ORDER BY pgno", nil, func(rows *sql.Rows) error {
		if err := rows.Scan(&page); err != nil {
			return err
		}
		if _, failed = raw.Write(page); failed != nil {
			return failed
		}
		if raw.Bytes-reported >= store.BackupProgressBytes {
			reported = raw.Bytes
			report()
		}
		return nil
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return readError(ctx, path, err)
	case raw.Bytes != m.Bytes:
		return fmt.Errorf("%s: %d bytes of pages instead of %d", path, raw.Bytes, m.Bytes)
	}
	report()
	m.SHA256 = raw.Sum()
	return packer.Close()
}

// BackupTo writes a backup to a file, which appears when all of it is on disk: an interruption leaves no file of that
// name, or the old one. Only its owner can open it.
func BackupTo(
	ctx context.Context, path, file string, replace bool, progress byteProgress,
) (m store.Manifest, written int64, err error) {
	out := output.File{Path: file, Kind: output.Backup, New: !replace, Mode: private, Inputs: []string{path}}
	err = out.Write(ctx, func(half *os.File) error {
		if m, written, err = Backup(ctx, path, half, progress); err == nil {
			err = store.MayReplace(file, m)
		}
		return err
	})
	return m, written, err
}
