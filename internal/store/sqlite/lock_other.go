//go:build !unix && !windows

package sqlite

import (
	"errors"
	"os"
)

// tryLock refuses: without a lock two processes would damage the database.
func tryLock(*os.File) (busy bool, err error) { return false, errors.ErrUnsupported }

// links is how many names a file has.
func links(string, os.FileInfo) (uint64, error) { return 0, errors.ErrUnsupported }
