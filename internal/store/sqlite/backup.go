package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/klauspost/compress/zstd"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/bulk"
	"brokerage/internal/store/sqlite/pagesum"
)

// A Manifest describes a backup.
type Manifest = archive.Manifest

// A Summary describes a finished backup.
type Summary struct {
	Manifest

	Written int64 // bytes of the backup
}

// Backup writes a backup of the database at path in the state at its beginning. Another process may write to the
// database meanwhile: Backup takes no lock that a writer would wait for, and never makes or changes a database. But the
// journal of the database grows until the backup ends, because SQLite keeps what a reader may still need. If no other
// process has the database open, an empty journal stays beside it, which the next process that opens it removes;
// removing it here could hit the journal of a process that is just starting.
func Backup(ctx context.Context, path string, to io.Writer, progress func(done, total int64)) (s Summary, err error) {
	before, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	if err := hasOneName(path, before); err != nil {
		return s, err
	}
	db, err := sql.Open("sqlite", readOnly(path, url.Values{"_pragma": {"busy_timeout(10000)"}}))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	// One connection, so that everything is read in this transaction.
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "BEGIN"); err != nil {
		return s, readError(ctx, path, err)
	}
	if s.Manifest, err = describe(ctx, db, path); err != nil {
		return s, err
	}
	out := archive.NewDigest(to)
	if err := s.copyPages(ctx, db, path, out, progress); err != nil {
		return s, err
	}
	if err := s.Seal(out); err != nil {
		return s, err
	}
	s.Written = out.Bytes
	// A restore may have replaced the database, and SQLite opens the journal by name, after the database.
	after, err := os.Stat(path)
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("%s was replaced by another file meanwhile", path)
	}
	return s, err
}

// readOnly returns a name for SQLite by which nothing is made or changed.
func readOnly(path string, settings url.Values) string {
	settings.Set("mode", "ro")
	return uri(path, settings)
}

// readError says which database cannot be read, unless ctx has ended.
func readError(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w", path, err)
}

// describe returns the manifest of the database in the transaction, whose schema may be older than the program's.
func describe(ctx context.Context, db *sql.DB, path string) (m Manifest, err error) {
	newest, err := newestSchema()
	if err != nil {
		return m, err
	}
	m = Manifest{Format: archive.Format, Time: time.Now().UTC().Truncate(time.Second)}
	if m.Schema, err = versionOf(ctx, db, path, newest); err != nil {
		return m, err
	}
	if m.Schema == 0 {
		return m, fmt.Errorf("%s is empty, not a database of this program", path)
	}
	var pages int64
	var contents string
	err = db.QueryRowContext(ctx, `
		SELECT page_count, page_size, coalesce((SELECT value FROM settings WHERE name = ?), '{}')
		FROM pragma_page_count, pragma_page_size`, bulk.SettingContents).Scan(&pages, &m.PageSize, &contents)
	if err != nil {
		return m, readError(ctx, path, err)
	}
	var c brokerage.Contents
	if err := json.Unmarshal([]byte(contents), &c); err != nil {
		return m, fmt.Errorf("%s: what it holds: %w", path, err)
	}
	m.Fingerprint = c.Fingerprint
	m.Bytes = pages * m.PageSize
	return m, nil
}

// newestSchema returns the newest version of the schema that this program knows.
func newestSchema() (int, error) {
	_, names, err := Options{}.migrations()
	return len(names), err
}

// copyPages packs the pages of the database, in the order of the file.
func (s *Summary) copyPages(
	ctx context.Context, db *sql.DB, path string, out io.Writer, progress func(done, total int64),
) error {
	// The fastest level, because the documents are packed already.
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	packer.ResetContentSize(out, s.Bytes)
	// The pages as this transaction sees them, in the file or still in the journal.
	rows, err := db.QueryContext(ctx, "SELECT data FROM sqlite_dbpage ORDER BY pgno")
	if err != nil {
		return readError(ctx, path, err)
	}
	defer rows.Close()
	raw := archive.NewDigest(packer)
	var page sql.RawBytes
	sums := false
	for reported := int64(0); rows.Next(); {
		if err := rows.Scan(&page); err != nil {
			return readError(ctx, path, err)
		}
		if raw.Bytes == 0 {
			sums = pagesum.Reserves(page)
		}
		if sums {
			pagesum.Put(page) // pages in the journal have none yet
		}
		if _, err := raw.Write(page); err != nil {
			return err
		}
		if progress != nil && raw.Bytes-reported >= archive.ProgressBytes {
			reported = raw.Bytes
			progress(raw.Bytes, s.Bytes)
		}
	}
	if err := rows.Err(); err != nil {
		return readError(ctx, path, err)
	}
	if raw.Bytes != s.Bytes {
		return fmt.Errorf("%s: %d bytes of pages instead of %d", path, raw.Bytes, s.Bytes)
	}
	if progress != nil {
		progress(raw.Bytes, s.Bytes)
	}
	s.SHA256 = raw.Sum()
	return packer.Close()
}

// BackupTo writes a backup to a file, which appears when all of it is on disk: an interruption leaves no file of that
// name, or the old one. The file gets the permissions of the database.
func BackupTo(
	ctx context.Context, path, file string, replace bool, progress func(done, total int64),
) (s Summary, err error) {
	source, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	if err := archive.Free(file, replace); err != nil {
		return s, err
	}
	err = archive.WriteWhole(ctx, file, source.Mode().Perm(), func(half *os.File) error {
		if s, err = Backup(ctx, path, half, progress); err != nil {
			return err
		}
		return archive.Free(file, replace) // it may have been made meanwhile
	})
	return s, err
}
