//go:build linux || darwin

package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// requireLocal refuses a database on a network file system, on which SQLite's locks, and the memory that its processes
// share, do not work. The argument where is the path of the database, or of its folder.
func requireLocal(path, where string) error {
	var stat unix.Statfs_t
	if err := unix.Statfs(where, &stat); err != nil {
		return fmt.Errorf("reading the file system of %s: %w", where, err)
	}
	if isNetwork(&stat) {
		return fmt.Errorf("%s is on a network file system (NFS or SMB), on which SQLite does not work: use a local disk",
			path)
	}
	return nil
}

// lockedByte is the byte that is locked. The bytes that SQLite locks are at 1 GiB.
var lockedByte = unix.Flock_t{Whence: io.SeekStart, Start: 1 << 62, Len: 1}

// tryLock locks a file; busy is true if it is locked already, even by another store in this process. The lock belongs
// to the open file, unlike a POSIX lock: closing another descriptor of the file does not end it.
func tryLock(f *os.File) (busy bool, err error) {
	l := lockedByte
	l.Type = unix.F_WRLCK
	err = unix.FcntlFlock(f.Fd(), setOpenFileLock, &l)
	busy = errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES)
	return busy, err
}

// unlock ends a lock and closes the file. Closing alone would not do: a command that this process is just starting has
// the file open too.
func unlock(f *os.File) error {
	l := lockedByte
	l.Type = unix.F_UNLCK
	return errors.Join(unix.FcntlFlock(f.Fd(), setOpenFileLock, &l), f.Close())
}

// group returns the group to which a file belongs.
func group(info os.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Gid) }

// links returns the number of names of a file.
func links(info os.FileInfo) uint64 {
	return uint64(info.Sys().(*syscall.Stat_t).Nlink) //nolint:unconvert // not of this type everywhere
}
