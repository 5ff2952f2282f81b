package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

func TestToken_File(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	r := succeeds(t, "token", "--name", "alice", "--scope", "read", "--file", file)
	require.Empty(t, r.err)
	require.NotContains(t, testenv.Text(t, file), strings.TrimSpace(r.out))

	requireOneLine(t, brokerage(t.Context(), "token", "--name", "alice", "--scope", "read", "--file", file), exitFailed,
		"alice already")
	require.NoError(t, os.Chmod(file, 0o644))
	requireOneLine(t, brokerage(t.Context(), "token", "--name", "bob", "--scope", "read", "--file", file), exitFailed,
		"chmod 600")
}
