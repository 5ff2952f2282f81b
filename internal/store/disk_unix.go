//go:build unix

package store

import "golang.org/x/sys/unix"

// DiskSpace returns how many bytes an ordinary user may still write to the file system of path, and how large that file
// system is; known is false if the operating system does not report it.
func DiskSpace(path string) (free, size float64, known bool) {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return 0, 0, false
	}
	block := float64(stat.Bsize)
	return float64(stat.Bavail) * block, float64(stat.Blocks) * block, true
}
