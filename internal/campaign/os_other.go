//go:build !linux

package campaign

import (
	"errors"
	"os/exec"
)

// dieWithParent does nothing: it is implemented for Linux only.
func dieWithParent(*exec.Cmd) {}

// limitCores returns errors.ErrUnsupported: it is implemented for Linux only.
func limitCores(int, int) (func() error, error) { return nil, errors.ErrUnsupported }

// lockFolder does nothing: it is implemented for Linux only.
func lockFolder(string) (unlock func() error, err error) { return func() error { return nil }, nil }
