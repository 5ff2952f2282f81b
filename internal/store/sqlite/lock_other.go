//go:build !linux && !darwin

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// requireLocal refuses every database: this system's locks were never tested, and without a lock two processes would
// damage the database.
func requireLocal(path, _ string) error {
	return fmt.Errorf("%s: the embedded store needs Linux or macOS: on %s, use a container, WSL, or a database server",
		path, runtime.GOOS)
}

func tryLock(*os.File) (busy bool, err error) { return false, errors.ErrUnsupported }

func unlock(f *os.File) error { return f.Close() }

func group(os.FileInfo) int { return os.Getegid() }

func links(os.FileInfo) uint64 { return 1 }
