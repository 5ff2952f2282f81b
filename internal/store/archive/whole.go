package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteWhole writes a file under another name beside its own, which it gets
// when it is whole and on disk.
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

// HalfName is the name beside a file under which it is written until it is
// whole.
func HalfName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
}

// RequireFolder returns an error that names the folder of a file, if there is none.
// What is made beside the file first (a lock, the half of it) would be named otherwise.
func RequireFolder(path string) error {
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return &noFolder{path}
	}
	return nil
}

// noFolder is fs.ErrNotExist of the folder of a file.
type noFolder struct{ path string }

func (e *noFolder) Error() string { return e.path + ": there is no folder " + filepath.Dir(e.path) }
func (e *noFolder) Unwrap() error { return fs.ErrNotExist }

// Free refuses a name that is taken, by a file if it is not to be replaced, and
// by anything else at all.
func Free(path string, replace bool) error {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return RequireFolder(path)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case !replace:
		return fmt.Errorf("%s is there already: --replace replaces it", path)
	}
	return nil
}
