package sqlite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"brokerage/internal/output"
)

// private is the mode of the files that the store makes: others can neither read them, nor lock them and so stop
// writes.
const private = 0o600

// A lock keeps any other store from opening the database, by any name. It ends with the process.
//
// It is a lock on one byte, which SQLite never uses. SQLite finds the journal by its name, so the journal is locked
// too: a file that was moved to the name of a database in use is not opened with the journal of that database.
//
// SQLite's own locks, POSIX locks, end as soon as this process closes any descriptor of the database. So the file is
// opened here before SQLite opens it, and closed after SQLite's last connection; only SQLite opens it meanwhile.
type lock struct {
	path    string // of the database, past all symbolic links
	info    os.FileInfo
	made    bool // whether lockDatabase has made the file
	file    *os.File
	journal *os.File // nil if there was none
}

// lockDatabase locks the database at path, or fails at once if another process has locked it. A missing database is
// made, empty, if create is set.
func lockDatabase(path string, create bool) (_ *lock, err error) {
	if err := output.RequireFolder(path); err != nil {
		return nil, err
	}
	flags, local := os.O_RDWR, path
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && create {
		target, err := output.Resolve(path)
		if err == nil {
			err = checkBeside(target, nil) // no database is made beside a journal that is alone
		}
		if err != nil {
			return nil, err
		}
		flags, local = flags|os.O_CREATE, filepath.Dir(path)
	} else if err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	if err := requireLocal(path, local); err != nil {
		return nil, err
	}
	l := &lock{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if flags&os.O_CREATE != 0 {
		l.file, err = openLocked(path, flags|os.O_EXCL, path)
		l.made = err == nil
	}
	if !l.made && (err == nil || errors.Is(err, fs.ErrExist)) { // it exists, or is a link to a missing file
		l.file, err = openLocked(path, flags, path)
	}
	if err != nil {
		return nil, err
	}
	if l.info, err = l.file.Stat(); err == nil {
		l.path, err = filepath.Abs(path)
	}
	if err == nil {
		l.path, err = filepath.EvalSymlinks(l.path)
	}
	if err != nil {
		return nil, err
	}
	if named, err := os.Stat(l.path); err != nil || !os.SameFile(named, l.info) {
		return nil, fmt.Errorf("%s was replaced by another process while it was opened; try again", path)
	}
	if err := hasOneName(path, l.info); err != nil {
		return nil, err
	}
	if err := l.lockJournal(); err != nil {
		return nil, err
	}
	return l, nil
}

// lockJournal locks the journal, if there is one. SQLite may have made it, or another one, when it opened the database.
func (l *lock) lockJournal() (err error) {
	if err := checkBeside(l.path, l.info); err != nil {
		return err
	}
	if l.journal != nil {
		err, l.journal = unlock(l.journal), nil
	}
	if err == nil {
		l.journal, err = openLocked(l.path+"-wal", os.O_RDWR, l.path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// openLocked opens a file and locks it. Its argument of is the database, for errors.
func openLocked(path string, flags int, of string) (*os.File, error) {
	f, err := os.OpenFile(path, flags, private)
	if err != nil {
		return nil, err
	}
	busy, err := tryLock(f)
	if err == nil && !busy {
		return f, nil
	}
	_ = f.Close() // nothing was written
	if busy {
		return nil, fmt.Errorf("%s is in use by another process", of)
	}
	return nil, fmt.Errorf("locking %s: %w", path, err)
}

// hasOneName refuses a file with several names, because what is in the journal of one name is missing under the others.
func hasOneName(path string, info os.FileInfo) error {
	if n := links(info); n > 1 {
		return fmt.Errorf("%s is one of %d names of the same file (hard links), and SQLite keeps a journal for each name: "+
			"remove the other names, or copy the file", path, n)
	}
	return nil
}

// checkBeside refuses files beside the database at path that SQLite would apply to it, or overwrite, although they are
// not its journal: links, other databases, and files of a user who may not write the database. database is nil if
// there is none, so that nothing is applied. It also refuses a journal whose database is missing or empty, because
// SQLite would delete the journal.
func checkBeside(path string, database os.FileInfo) error {
	for _, suffix := range []string{"-journal", "-wal", "-shm"} {
		name := path + suffix
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		switch user, foreign := output.ForeignOwner(info); {
		case !info.Mode().IsRegular() || links(info) > 1:
			return fmt.Errorf("%s is not an ordinary file with one name, so not a journal of %s: move it away", name, path)
		case database != nil && foreign && !ownerMayWrite(info, database):
			return fmt.Errorf("%s belongs to user %d, who may not write %s, but could change it through this file: "+
				"move it away, or chown it if it is the journal", name, user, path)
		case suffix == "-shm": // closing it would end SQLite's locks on it
			continue
		}
		file, err := output.OpenInput(name)
		if errors.Is(err, fs.ErrNotExist) { // another process has just closed the database
			continue
		} else if err != nil {
			return err
		}
		const magic = "SQLite format 3\x00"
		head := make([]byte, len(magic))
		_, err = io.ReadFull(file, head)
		_ = file.Close() // it was only read
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if string(head) == magic {
			return fmt.Errorf("%s is a database, not a journal of %s: move one of them away", name, path)
		}
		if now, err := os.Stat(path); suffix == "-wal" && info.Size() > 0 && (err != nil || now.Size() == 0) {
			return fmt.Errorf("%s is missing or empty, and its journal %s holds its last writes: "+
				"put the database back beside it, or remove the journal if these writes are not needed", path, name)
		}
	}
	return nil
}

// ownerMayWrite reports whether the owner of a file may write the database.
func ownerMayWrite(file, database os.FileInfo) bool {
	user, _ := output.ForeignOwner(file)
	owner, _ := output.ForeignOwner(database)
	mode := database.Mode()
	return user == owner || mode&0o002 != 0 || mode&0o020 != 0 && group(file) == group(database)
}

// checkOwner refuses a database that may be a trap of another user, who would keep access to all that is written to it:
// an empty one, or one that its owner does not share with a group of this process. Root may open any that is not empty,
// as for maintenance. It calls notice with what others can do with the database.
func (l *lock) checkOwner(empty bool, notice func(string)) error {
	mode := l.info.Mode()
	if user, foreign := output.ForeignOwner(l.info); foreign && !l.made {
		warning := fmt.Sprintf("%s belongs to user %d, who can read and change what is stored in it", l.path, user)
		groups, err := os.Getgroups()
		if err != nil {
			return err
		}
		shared := mode&0o020 != 0 && slices.Contains(append(groups, os.Getegid()), group(l.info))
		if empty || os.Geteuid() != 0 && !shared {
			return fmt.Errorf("%s: chown it to the user of this process, or move it away", warning)
		}
		notice(warning)
	}
	if mode&0o077 != 0 {
		others := "its group"
		if mode&0o007 != 0 {
			others = "every user"
		}
		notice(fmt.Sprintf("%s can be opened by %s (mode %#o): chmod 600 makes it private", l.path, others, mode.Perm()))
	}
	return nil
}

// setAside renames the journal if another file has the name of the database. SQLite leaves the journal when it closes,
// and would apply it to the other file at the next opening. The renamed journal holds the last writes, for a repair of
// the database. SQLite must have closed the database.
func (l *lock) setAside(notice func(string)) error {
	name := l.path + "-wal"
	database, err := os.Stat(l.path)
	journal, missing := os.Stat(name)
	if err != nil || missing != nil || l.journal == nil || os.SameFile(database, l.info) || journal.Size() == 0 {
		return nil //nolint:nilerr // the journal of a database that is missing is refused at the next opening
	}
	if locked, err := l.journal.Stat(); err != nil || !os.SameFile(journal, locked) {
		return err
	}
	aside := name + time.Now().UTC().Format(".20060102T150405.000000000")
	if err := os.Rename(name, aside); err != nil {
		return err
	}
	notice(fmt.Sprintf("the journal of the old %s is kept as %s: it holds its last writes", l.path, aside))
	return output.SyncFolder(filepath.Dir(name))
}

// Close ends the lock. SQLite must have closed the database before.
func (l *lock) Close() error {
	var errs []error
	for _, f := range []*os.File{l.journal, l.file} {
		if f != nil {
			errs = append(errs, unlock(f))
		}
	}
	return errors.Join(errs...)
}
