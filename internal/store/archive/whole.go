package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteWhole writes a file under another name in the same folder, and renames it when it is whole and on disk.
func WriteWhole(ctx context.Context, path string, perm os.FileMode, write func(*os.File) error) error {
	half, err := claimFile(HalfName(path), perm)
	if err != nil {
		return err
	}
	if err = write(half); err == nil {
		err = half.Sync()
	}
	if err == nil {
		err = ctx.Err()
	}
	if err := nameFile(half, path, err); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// HalfName returns the name under which WriteWhole writes a file until it is whole.
func HalfName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
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
