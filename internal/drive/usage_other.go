//go:build !unix

package drive

import "brokerage/internal/result"

// readSelf returns nothing on this system.
func readSelf() result.ProcessUsage { return result.ProcessUsage{} }
