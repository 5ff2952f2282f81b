//go:build !db2

package main

import "testing"

// A binary without the driver says how to build one with it.
func TestDB2_Stub(t *testing.T) {
	for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"load"}, {"verify"}, {"migrate"}} {
		requireOneLine(t, brokerage(t.Context(), append(command, "--db", aDB2)...), exitFailed, "make build-db2")
	}
}
