//go:build !linux

package testenv

import "testing"

// SmallDisk skips the test: it needs Linux.
func SmallDisk(t testing.TB, _ string) string {
	t.Helper()
	Missing(t, "tmpfs", "small file systems are only mounted on Linux here")
	return ""
}

// FillDisk skips the test: it needs Linux.
func FillDisk(t testing.TB, _ string, _ int64) string {
	t.Helper()
	Missing(t, "tmpfs", "small file systems are only mounted on Linux here")
	return ""
}
