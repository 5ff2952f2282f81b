//go:build !unix

package output

import "os"

// Shared is the mode of an output that everybody may read.
var Shared os.FileMode = 0o644

// SyncFolder does nothing: folders cannot be flushed here.
func SyncFolder(string) error { return nil }
