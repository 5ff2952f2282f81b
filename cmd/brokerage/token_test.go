package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/testenv"
)

func TestToken(t *testing.T) {
	r := succeeds(t, "token", "--name", "alice", "--scope", "read,trade")
	require.Regexp(t, `^[A-Za-z0-9_-]{43}\n$`, r.out)
	require.Regexp(t, `^alice:read,trade:[0-9a-f]{64}\n$`, r.err)
	require.NotContains(t, r.err, strings.TrimSpace(r.out))

	// The line makes a token valid.
	file := testenv.File(t, "tokens", r.err)
	tokens, err := access.Load(file)
	require.NoError(t, err)
	client, ok := tokens.Client(t.Context(), "Bearer "+strings.TrimSpace(r.out))
	require.True(t, ok)
	require.Equal(t, "alice", client.Name)
}

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

func TestToken_Usage(t *testing.T) {
	requireRefusals(t, "token", map[string]refusal{
		"OddName":      {"--name a:b --scope read", exitUsage, `"a:b" is not a name`},
		"UnknownScope": {"--name a --scope read,write", exitUsage, `"write" is not a scope`},
	})
}
