// Package output writes the files that commands make.
package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// half ends the name of a file until it is complete.
const half = ".partial"

// Write writes a file under a random name in the same folder, .NAME.RANDOM.partial, and gives it its name and its
// permissions when it is whole and on disk: neither a reader nor an interruption ever sees half of it. What a killed
// process leaves under such a name is never read.
func Write(ctx context.Context, path string, perm os.FileMode, write func(*os.File) error) error {
	// Others may write to the folder too. CreateTemp opens nothing that they have planted there, link or file, because
	// O_EXCL accepts only a new file; its mode is 0600.
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+half)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = errors.Join(f.Chmod(perm), f.Sync())
	}
	if err == nil {
		err = ctx.Err()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// HalfOf reports whether the name of a file is one under which Write writes until the file is whole, and returns the
// name that the file gets then.
func HalfOf(name string) (whole string, ok bool) {
	name, hidden := strings.CutPrefix(name, ".")
	name, ok = strings.CutSuffix(name, half)
	random := strings.LastIndexByte(name, '.')
	if !hidden || !ok || random < 0 {
		return "", false
	}
	return name[:random], true
}

// RequireFolder returns an error that names the folder of a file, if there is none. Without it the error would name
// what is made first in that folder, such as a lock.
func RequireFolder(path string) error {
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return &noFolder{path}
	}
	return nil
}

// noFolder is fs.ErrNotExist for the folder of a file.
type noFolder struct{ path string }

func (e *noFolder) Error() string { return e.path + ": there is no folder " + filepath.Dir(e.path) }
func (e *noFolder) Unwrap() error { return fs.ErrNotExist }

// Free returns an error when a file of that name exists and is not to be replaced, or when something else has the name.
func Free(path string, replace bool) error {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return RequireFolder(path)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case !replace:
		return fmt.Errorf("%s exists already: --replace replaces it", path)
	}
	return nil
}
