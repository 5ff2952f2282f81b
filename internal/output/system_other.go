//go:build !unix

package output

import (
	"io/fs"
	"os"
)

// Shared is the mode of an output that everybody may read.
var Shared os.FileMode = 0o644

// ForeignOwner returns false: files have no owner by number here.
func ForeignOwner(fs.FileInfo) (user int, foreign bool) { return 0, false }

// SyncFolder does nothing: folders cannot be flushed here.
func SyncFolder(string) error { return nil }
