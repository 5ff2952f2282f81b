//go:build !unix

package archive

import (
	"errors"
	"os"
)

// claimFile opens a file to write it from the beginning. It does not keep other processes from doing so.
func claimFile(path string, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, perm)
}

// nameFile renames a claimed file, or removes it if there was an error. It closes the file first, because here an open
// file can be neither renamed nor removed.
func nameFile(f *os.File, path string, err error) error {
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// SyncFolder does nothing: folders cannot be flushed here.
func SyncFolder(string) error { return nil }
