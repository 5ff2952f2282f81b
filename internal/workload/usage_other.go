//go:build !unix

package workload

// readSelf returns nothing on this system.
func readSelf() ProcessUsage { return ProcessUsage{} }
