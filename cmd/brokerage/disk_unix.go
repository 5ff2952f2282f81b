//go:build unix

package main

import "golang.org/x/sys/unix"

// freeBytes is how much an ordinary user may still write where path is.
func freeBytes(path string) (free float64, known bool) {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return 0, false
	}
	return float64(stat.Bavail) * float64(stat.Bsize), true
}
