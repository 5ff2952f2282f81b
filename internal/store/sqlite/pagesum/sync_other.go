//go:build !linux

package pagesum

import "modernc.org/libc"

// syncFile writes a file to disk in SQLite's own way.
func syncFile(tls *libc.TLS, f uintptr, flags int32) int32 {
	return call[syncMethod](of(f).methods().FxSync)(tls, f, flags)
}
