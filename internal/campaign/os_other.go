//go:build !linux

package campaign

import (
	"errors"
	"os"
	"os/exec"
)

// alone does nothing: a Ctrl-C at the terminal stops the service as well.
func alone(*exec.Cmd) {}

func flush(f *os.File) error { return f.Sync() }

// limitCores is known on Linux alone.
func limitCores(int, int) (func() error, error) { return nil, errors.ErrUnsupported }
