//go:build !unix && !windows

package sqlite

import (
	"errors"
	"os"
)

// tryLock refuses: without a lock two processes would damage the database.
func tryLock(*os.File) (busy bool, err error) { return false, errors.ErrUnsupported }

// unlock closes a file that was never locked.
func unlock(f *os.File) error { return f.Close() }

// links returns the number of names of a file.
func links(string, os.FileInfo) (uint64, error) { return 0, errors.ErrUnsupported }
