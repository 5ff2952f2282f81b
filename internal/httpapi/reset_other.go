//go:build !linux

package httpapi

// Elsewhere, a client that has closed its side counts as gone.
const canTellReset = false

func isReset(uintptr) bool { return false }
