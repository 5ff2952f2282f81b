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

// Manifest is what a backup says of itself.
type Manifest = archive.Manifest

// Summary is what a backup has done.
type Summary struct {
	Manifest

	Written int64 // bytes of the backup
}

// Backup writes a backup of the database at path, which another process may be
// writing to meanwhile: it is the state at one moment, that of the beginning.
// It takes no lock that a writer would wait for, and never makes a database or
// changes one; but the journal of the database grows until it has ended, because
// SQLite keeps what a reader may still want. If nobody else has the database
// open, an empty journal stays beside it, which the next to open it takes away:
// taking it away here could hit that of a process that is just starting.
func Backup(ctx context.Context, path string, to io.Writer, progress func(done, total int64)) (s Summary, err error) {
	before, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	db, err := sql.Open("sqlite", readOnly(path, url.Values{"_pragma": {"busy_timeout(10000)"}}))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	// One connection, so that all that is read is of this one transaction.
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "BEGIN"); err != nil {
		return s, readError(ctx, path, err)
	}
	if s.Manifest, err = describe(ctx, db, path); err != nil {
		return s, err
	}
	out := archive.NewTally(to)
	if err := s.copyPages(ctx, db, path, out, progress); err != nil {
		return s, err
	}
	if err := s.Seal(out); err != nil {
		return s, err
	}
	s.Written = out.Bytes
	// A restore may have put another database in its place, and SQLite opens
	// the journal by its name, after the database.
	after, err := os.Stat(path)
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("%s was replaced by another file meanwhile", path)
	}
	return s, err
}

// readOnly is a name for SQLite under which nothing is made.
func readOnly(path string, settings url.Values) string {
	settings.Set("mode", "ro")
	return uri(path, settings)
}

// readError says which database cannot be read, unless the end was wanted.
func readError(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w", path, err)
}

// describe says what the database is at the moment of the transaction. A schema
// older than the program's is backed up as it is.
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
	err = db.QueryRowContext(ctx, `SELECT page_count, page_size, coalesce((SELECT value FROM settings WHERE name = ?), '{}')
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

// newestSchema is the newest version of the schema that this program knows.
func newestSchema() (int, error) {
	_, names, err := Options{}.migrations()
	return len(names), err
}

// copyPages packs the pages of the database, one after the other as they stand
// in its file.
func (s *Summary) copyPages(ctx context.Context, db *sql.DB, path string, out io.Writer, progress func(done, total int64)) error {
	// The quickest level: what takes the space is packed already.
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	packer.ResetContentSize(out, s.Bytes)
	// The pages as this transaction sees them, whether they are in the file or
	// still in its journal.
	rows, err := db.QueryContext(ctx, "SELECT data FROM sqlite_dbpage ORDER BY pgno")
	if err != nil {
		return readError(ctx, path, err)
	}
	defer rows.Close()
	raw := archive.NewTally(packer)
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
			pagesum.Put(page) // what stands in the journal does not have it yet
		}
		if _, err := raw.Write(page); err != nil {
			return err
		}
		if progress != nil && raw.Bytes-reported >= archive.Told {
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

// BackupTo is Backup to a file, which comes to be when all of it is on disk:
// whatever ends it before leaves no file of that name, or the one that was
// there. It can be read by whoever can read the database.
func BackupTo(ctx context.Context, path, file string, replace bool, progress func(done, total int64)) (s Summary, err error) {
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
		return archive.Free(file, replace) // it may have come meanwhile
	})
	return s, err
}
