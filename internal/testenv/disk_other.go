//go:build !linux

package testenv

import "testing"

// SmallDisk is for Linux.
func SmallDisk(t testing.TB, _ string) string {
	t.Helper()
	Missing(t, "tmpfs", "small file systems are only mounted on Linux here")
	return ""
}

// FillDisk is for Linux.
func FillDisk(t testing.TB, _ string, _ int64) string {
	t.Helper()
	Missing(t, "tmpfs", "small file systems are only mounted on Linux here")
	return ""
}
