//go:build unix

package output

import (
	"errors"
	"os"

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

// SyncFolder flushes the names in a folder to disk.
func SyncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
