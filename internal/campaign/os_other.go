//go:build !linux

package campaign

import (
	"os"
	"os/exec"
)

// alone does nothing: a Ctrl-C at the terminal stops the service as well.
func alone(*exec.Cmd) {}

func flush(f *os.File) error { return f.Sync() }
