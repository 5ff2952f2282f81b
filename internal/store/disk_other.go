//go:build !unix

package store

// DiskSpace knows nothing here; a full disk then shows when it is full.
func DiskSpace(string) (free, size float64, known bool) { return 0, 0, false }
