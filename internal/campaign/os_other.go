//go:build !linux

package campaign

import (
	"errors"
	"os"
	"os/exec"
)

// dieWithParent is known on Linux alone.
func dieWithParent(*exec.Cmd) {}

func flush(f *os.File) error { return f.Sync() }

// limitCores is, too.
func limitCores(int, int) (func() error, error) { return nil, errors.ErrUnsupported }
