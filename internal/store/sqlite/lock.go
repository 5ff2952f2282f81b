package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"brokerage/internal/output"
)

// A lock keeps other processes from opening a database. It ends with the process.
//
// It consists of two locks. The one on PATH-lock is for the name: SQLite finds the journal by the name, so that two
// files of one name, one of them deleted or replaced, must not be open at once. The one on the database is for the
// file, so that neither another name nor the removal of PATH-lock opens it twice.
//
// SQLite's own locks, POSIX locks, end as soon as this process closes any descriptor of the database. So file is opened
// before SQLite opens it, and closed after SQLite has closed its last connection.
type lock struct {
	path string      // of the database, past all symbolic links
	name *os.File    // PATH-lock
	file *os.File    // the database; nil if it is missing, or if its lock would exclude SQLite's
	info os.FileInfo // of the database; nil if it is missing
}

// locksItself reports whether a lock on the database does not affect SQLite's locks on it. On other systems than Linux
// the two are of one kind and exclude each other.
const locksItself = runtime.GOOS == "linux"

// errMoved says that a path names another file than a moment ago.
var errMoved = errors.New("is being replaced repeatedly by other processes")

// lockDatabase locks the database at path, or fails at once if another process has locked it. A missing database is
// made, empty, if create is set; otherwise only its name is locked.
func lockDatabase(path string, create bool) (l *lock, err error) {
	for range 10 {
		if l, err = lockOnce(path, create); !errors.Is(err, errMoved) {
			break
		}
	}
	return l, err
}

func lockOnce(path string, create bool) (_ *lock, err error) {
	l := &lock{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.path, err = output.Resolve(path); err != nil {
		return nil, err
	}
	if l.name, err = lockFile(l.path+"-lock", os.O_RDWR|os.O_CREATE, path); err != nil {
		return nil, err
	}
	if l.info, err = os.Stat(l.path); errors.Is(err, fs.ErrNotExist) {
		if !create {
			return l, nil
		}
		l.info, err = createEmpty(l.path)
	}
	if err != nil {
		return nil, err
	}
	if !l.info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	if locksItself {
		if l.file, err = lockFile(l.path, os.O_RDONLY, path); err != nil {
			return nil, err
		}
		if l.info, err = l.file.Stat(); err != nil { // of the file that is locked: the path may name another by now
			return nil, err
		}
	}
	if err := hasOneName(l.path, l.info); err != nil {
		return nil, err
	}
	if there, err := os.Stat(path); err != nil || !os.SameFile(there, l.info) {
		return nil, fmt.Errorf("%s %w", path, errMoved)
	}
	return l, nil
}

// createEmpty makes an empty file, which SQLite takes for an empty database, with SQLite's permissions.
func createEmpty(path string) (os.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) //nolint:gosec // the umask says who else may read
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	return info, errors.Join(err, f.Close())
}

// hasOneName refuses a file with several names, because what is in the journal of one name is missing under the others.
func hasOneName(path string, info os.FileInfo) error {
	n, err := links(path, info)
	if err == nil && n > 1 {
		return fmt.Errorf("%s is one of %d names of the same file (hard links), and SQLite keeps a journal for each name: "+
			"remove the other names, or copy the file", path, n)
	}
	return err
}

// lockFile opens a file and locks it. of is the path of the database, for errors.
func lockFile(path string, flags int, of string) (_ *os.File, err error) {
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // nothing was written
		}
	}()
	switch busy, err := tryLock(f); {
	case err != nil:
		return nil, fmt.Errorf("locking %s: %w", path, err)
	case busy:
		return nil, fmt.Errorf("%s is in use by another process", of)
	}
	ours, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if there, err := os.Stat(path); err != nil || !os.SameFile(ours, there) {
		return nil, fmt.Errorf("%s %w", of, errMoved)
	}
	return f, nil
}

// Close ends the lock. SQLite must have closed the database before.
func (l *lock) Close() error {
	var errs []error
	for _, f := range []*os.File{l.file, l.name} {
		if f != nil {
			errs = append(errs, unlock(f))
		}
	}
	return errors.Join(errs...)
}
