//go:build !db2

package main

import "testing"

// A binary without the driver says how to get the other.
func TestDB2_Stub(t *testing.T) {
	for _, command := range []string{"serve", "load", "verify", "migrate"} {
		requireOneLine(t, brokerage(t.Context(), command, "--db", aDB2), exitFailed, "make build-db2")
	}
}
