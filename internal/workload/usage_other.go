//go:build !unix

package workload

// readSelf returns nothing on this system.
func readSelf() Process { return Process{} }
