//go:build db2

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The driver writes connection strings, which hold passwords, to standard output if an argument contains "trace": it
// must not see the arguments.
func TestServe_Db2Secrets(t *testing.T) {
	for _, args := range [][]string{
		{"verify", "--db", aDB2 + "?application=trace"},
		{"serve", "--listen", "127.0.0.1:0", "--otlp-endpoint", "http://127.0.0.1:1/v1/traces", "--db", aDB2},
	} {
		var out, errs strings.Builder
		cmd := process(t, args...)
		cmd.Stdout, cmd.Stderr = &out, &errs
		require.Error(t, cmd.Run(), "there is no server")
		require.Empty(t, out.String())
		require.Contains(t, errs.String(), "SQL30081N")
		require.NotContains(t, errs.String(), "secret")
	}
}
