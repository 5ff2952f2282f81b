package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"brokerage/internal/store/archive"
)

// ReadManifest is what a backup says of itself. That it is right only Restore
// knows, which reads all of it.
func ReadManifest(file string) (Manifest, error) {
	b, err := openBackup(file)
	if err != nil {
		return Manifest{}, err
	}
	return b.Manifest, b.Close()
}

// Restore makes the database at path what it was when the backup was taken.
// Nothing is touched before all of the backup has been read and found whole,
// and what is there already is replaced only if that is wanted. Ended at any
// point, by a kill -9 or a power failure too, the old database is there or the
// new one, whole.
func Restore(ctx context.Context, file, path string, replace bool, progress func(done, total int64)) (m Manifest, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return m, err
	}
	b, err := openBackup(file)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := archive.Free(path, replace); err != nil {
		return m, err
	}
	read := counter(2*b.Bytes, progress) // all of it is unpacked twice
	// A database in use is told at once; that of a name that is new cannot be.
	var lock *os.File
	defer func() {
		if lock != nil {
			err = errors.Join(err, lock.Close())
		}
	}()
	if _, missing := os.Lstat(path); missing == nil {
		if lock, err = lockFile(path); err != nil {
			return m, err
		}
		if err := wasDatabase(path); err != nil {
			return m, err
		}
	}
	if err := b.Unpack(ctx, io.Discard, read); err != nil {
		return m, err
	}
	if lock == nil {
		if lock, err = lockFile(path); err != nil {
			return m, err
		}
		if err := archive.Free(path, replace); err != nil { // it may have come meanwhile
			return m, err
		}
	}
	return b.Manifest, restoreTo(ctx, b, path, read)
}

// wasDatabase refuses a file that never was a database: a mistyped path is
// dearer than the trouble of moving a file away.
func wasDatabase(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	head := make([]byte, len(databaseHead))
	if n, err := io.ReadFull(f, head); n > 0 && string(head) != databaseHead {
		return fmt.Errorf("%s is not a database, and is not replaced: move it away", path)
	} else if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// databaseHead is how a file of SQLite begins.
const databaseHead = "SQLite format 3\x00"

func counter(total int64, progress func(done, total int64)) func(int64) {
	var done int64
	return func(bytes int64) {
		done += bytes
		if progress != nil {
			progress(done, total)
		}
	}
}

// restoreTo writes the database beside its place, and puts it there when it is
// whole and on disk.
func restoreTo(ctx context.Context, b *archive.File, path string, read func(int64)) error {
	old, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = b.Stat()
	}
	if err != nil {
		return err
	}
	return archive.WriteWhole(ctx, path, old.Mode().Perm(), func(half *os.File) error {
		// Read anew: the file may not be what it was a moment ago.
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

// checkRestored looks whether the database is whole in SQLite's eyes: a backup
// keeps what it was made from, damage included.
func checkRestored(ctx context.Context, path string, m Manifest) (err error) {
	// Immutable: it is looked at as it is, without a journal beside it.
	db, err := sql.Open("sqlite", readOnly(path, url.Values{"immutable": {"1"}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var version int
	var finding string
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	if err == nil {
		err = db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&finding)
	}
	const damaged = "the database in the backup is damaged, and was when that was made"
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%s: %w", damaged, err)
	case finding != "ok":
		return fmt.Errorf("%s: %s", damaged, finding[strings.LastIndexByte(finding, '\n')+1:])
	case version != m.Schema:
		return fmt.Errorf("the database in the backup has schema version %d instead of %d", version, m.Schema)
	}
	return nil
}

// settle makes the file at path, if there is one, a database without a journal,
// so that one rename replaces all of it: were the journal taken away after, it
// would be read as that of the new database, and before, the old one would lack
// what is only there.
func settle(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err == nil {
		if err := checkpoint(ctx, path); err != nil && !isDamage(err) {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// What is left is empty, or belongs to a database that is damaged or gone.
	for _, suffix := range []string{"-wal", "-journal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return archive.SyncFolder(filepath.Dir(path))
}

// checkpoint brings what stands in the journal of a database into its file.
// What is no database of this program, but whole, is not for a restore to
// replace.
func checkpoint(ctx context.Context, path string) (err error) {
	db, err := OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := versionOf(ctx, db, path, anyVersion); err != nil {
		return err
	}
	var busy, frames, moved int
	if err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved); err != nil {
		return readError(ctx, path, err)
	}
	if busy != 0 {
		return fmt.Errorf("%s is being read by another process, such as a backup", path)
	}
	return nil
}

// anyVersion is for a database that is to be replaced, of however new a program.
const anyVersion = math.MaxInt32

// openBackup opens a backup of the embedded store.
func openBackup(path string) (*archive.File, error) {
	newest, err := newestSchema()
	if err != nil {
		return nil, err
	}
	return archive.Open(path, "", newest)
}
