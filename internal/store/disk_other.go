//go:build !unix

package store

// DiskSpace reads no sizes on this system: known is always false.
func DiskSpace(string) (free, size float64, known bool) { return 0, 0, false }
