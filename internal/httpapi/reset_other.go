//go:build !linux

package httpapi

// On other systems, a client that has closed its side counts as gone.
const canTellReset = false

func isReset(uintptr) bool { return false }
