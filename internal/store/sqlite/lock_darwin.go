package sqlite

import "golang.org/x/sys/unix"

const setOpenFileLock = 90 // F_OFD_SETLK in sys/fcntl.h

// isNetwork reports whether a file system is on another machine.
func isNetwork(stat *unix.Statfs_t) bool { return stat.Flags&unix.MNT_LOCAL == 0 }
