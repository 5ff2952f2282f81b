package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
)

// escapes are what must not reach a terminal: they set its title, move its cursor, turn text around.
const escapes = "\x1b]0;owned\x07\x1b[2J\r\b\u009b31m\u202etxt.exe"

// requirePrintable requires an output that shows the text of escapes and none of its effects.
func requirePrintable(t testing.TB, r exited) {
	t.Helper()
	for _, c := range r.out + r.err {
		require.True(t, unicode.IsGraphic(c) || c == '\n' || c == '\t', "%q in %q", c, r.out+r.err)
	}
	require.Contains(t, r.out+r.err, `\u001b]0;owned\u0007\u001b[2J`)
}

// Text of files and services is shown, but does not control the terminal.
func TestPrintable(t *testing.T) {
	t.Parallel()
	hostile := func(r *result.Run) {
		r.Workload.Name, r.Dataset.Fingerprint = escapes, escapes
		r.Validity.Reasons, r.Tool.Name, r.Target.URL = []string{escapes}, escapes, escapes
		r.Transactions[0].Name = escapes
	}
	a, b := resultFile(t, "a.json", hostile), resultFile(t, "b.json", hostile)
	requirePrintable(t, brokerage(t.Context(), "report", a, b))
	missing := filepath.Join(t.TempDir(), strings.ReplaceAll(escapes, "/", ""))
	requirePrintable(t, brokerage(t.Context(), "merge", a, missing))

	from := t.TempDir()
	file := filepath.Join(from, escapes+".xml")
	require.NoError(t, os.WriteFile(file, []byte("<a>\n<b/>\n"), 0o600))
	database := "sqlite:" + filepath.Join(t.TempDir(), "b.db")
	requirePrintable(t, brokerage(t.Context(), "load", "--from", from, "--db", database))
}
