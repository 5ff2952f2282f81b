//go:build !linux

package campaign

import "os"

func flush(f *os.File) error { return f.Sync() }
