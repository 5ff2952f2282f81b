package campaign

import (
	"os"
	"syscall"
)

// flush is what a commit waits for: the data, and what is needed to find them.
func flush(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
