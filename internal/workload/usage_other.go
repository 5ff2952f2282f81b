//go:build !unix

package workload

// readSelf returns nothing on this system.
func readSelf() (p processReading, peak int64) { return p, 0 }
