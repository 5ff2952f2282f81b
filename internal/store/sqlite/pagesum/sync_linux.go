package pagesum

import (
	"errors"

	"golang.org/x/sys/unix"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// syncFile writes a file to disk by fdatasync, as SQLite's own builds for Linux do. The translated one calls fsync,
// which on a file system with a journal also commits the time of the last change: a second write and a second flush of
// the disk for each commit.
func syncFile(tls *libc.TLS, f uintptr, flags int32) int32 {
	file := at[sqlite3.TunixFile](f)
	if file.FctrlFlags&sqlite3.UNIXFILE_DIRSYNC != 0 { // it is new, and its folder is written too
		return call[syncMethod](of(f).methods().FxSync)(tls, f, flags)
	}
	err := unix.Fdatasync(int(file.Fh))
	for errors.Is(err, unix.EINTR) {
		err = unix.Fdatasync(int(file.Fh))
	}
	if err != nil { // not again: the system reports a failed write only once
		return sqlite3.SQLITE_IOERR_FSYNC
	}
	return sqlite3.SQLITE_OK
}
