//go:build unix

package main

import "golang.org/x/sys/unix"

// diskSpace is how much an ordinary user may still write where path is, and how
// large that file system is.
func diskSpace(path string) (free, size float64, known bool) {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return 0, 0, false
	}
	block := float64(stat.Bsize)
	return float64(stat.Bavail) * block, float64(stat.Blocks) * block, true
}
