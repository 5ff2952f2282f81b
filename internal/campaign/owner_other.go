//go:build !unix

package campaign

import "os"

// ofOthers returns false: files have no numeric owners here.
func ofOthers(os.FileInfo) bool { return false }
