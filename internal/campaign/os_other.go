//go:build !linux

package campaign

import (
	"errors"
	"os/exec"
)

// dieWithParent is known on Linux alone.
func dieWithParent(*exec.Cmd) {}

// limitCores is, too.
func limitCores(int, int) (func() error, error) { return nil, errors.ErrUnsupported }
