//go:build unix

package output

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Shared is the mode of an output that everybody may read, unless the umask forbids it.
var Shared = 0o644 &^ umask()

// umask returns the umask, which can only be read by setting it; so it is read while no other goroutine runs.
func umask() os.FileMode {
	mask := unix.Umask(0o077)
	unix.Umask(mask)
	return os.FileMode(mask)
}

// ForeignOwner returns the user that a file belongs to, and whether that is neither the user of this process nor root.
func ForeignOwner(info fs.FileInfo) (user int, foreign bool) {
	user = int(info.Sys().(*syscall.Stat_t).Uid)
	return user, user != 0 && user != os.Geteuid()
}

// SyncFolder flushes the names in a folder to disk.
func SyncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
