package testenv

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// SmallDisk returns a folder on a file system of its own, of a size as mount takes it. It takes root.
func SmallDisk(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	// A database server that uses the disk is another user, and must get there.
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil { //nolint:gosec // as it says
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		Missing(t, "tmpfs", "a small file system cannot be mounted: "+err.Error())
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
	return dir
}

// FillDisk fills the disk of a folder except for leave bytes, and returns the file that does it.
func FillDisk(t testing.TB, dir string, leave int64) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it is not read
	var size int64
	for chunk := make([]byte, 1<<16); err == nil; {
		var n int
		n, err = f.Write(chunk)
		size += int64(n)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Truncate(max(0, size-leave)); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}
