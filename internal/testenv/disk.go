package testenv

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// SmallDisk returns a folder on a separate file system of the given size, in mount's notation. It needs Linux and root.
func SmallDisk(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	// A database server that uses the disk runs as another user, who must be able to reach it.
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o711))
	mount := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir)
	if out, err := mount.CombinedOutput(); err != nil {
		Missing(t, "tmpfs", "a small file system cannot be mounted: "+err.Error()+" "+string(out))
	}
	t.Cleanup(func() {
		assert.NoError(t, exec.CommandContext(context.WithoutCancel(t.Context()), "umount", dir).Run())
	})
	return dir
}

// FillDisk fills the disk of a folder, with the given number of bytes left free, and returns the file that fills it.
func FillDisk(t testing.TB, dir string, leave int64) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "ballast"))
	require.NoError(t, err)
	defer func() { _ = f.Close() }() // it is not read
	var size int64
	for chunk := make([]byte, 1<<16); err == nil; {
		var n int
		n, err = f.Write(chunk)
		size += int64(n)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, f.Truncate(max(0, size-leave)))
	return f.Name()
}
