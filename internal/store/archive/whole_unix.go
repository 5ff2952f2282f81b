//go:build unix

package archive

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// claimFile opens a file to write it from the beginning. It takes over what a killed process has left, and refuses a
// file that another process is writing.
func claimFile(path string, perm os.FileMode) (_ *os.File, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, perm)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	inUse := fmt.Errorf("%s is being written by another process", path)
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return nil, inUse
	} else if err != nil {
		return nil, err
	}
	// The process that had the lock before may have renamed the file since.
	ours, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if there, err := os.Stat(path); err != nil || !os.SameFile(ours, there) {
		return nil, inUse
	}
	if err := f.Chmod(perm); err != nil {
		return nil, err
	}
	if err := f.Truncate(0); err != nil {
		return nil, err
	}
	return f, nil
}

// nameFile renames a claimed file, or removes it if there was an error. It closes the file last, so that no other
// process claims it meanwhile.
func nameFile(f *os.File, path string, err error) error {
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return errors.Join(err, f.Close())
}

// SyncFolder flushes the names in a folder to disk.
func SyncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
