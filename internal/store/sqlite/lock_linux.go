package sqlite

import "golang.org/x/sys/unix"

const setOpenFileLock = unix.F_OFD_SETLK

// isNetwork reports whether a file system is on another machine.
func isNetwork(stat *unix.Statfs_t) bool {
	switch uint32(stat.Type) {
	case unix.NFS_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return true
	}
	return false
}
