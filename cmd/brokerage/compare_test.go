package main

import (
	"context"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/compare"
	"brokerage/internal/testenv"
)

// served returns a side of a comparison: a service on a database, in a process of its own.
func served(db string, flags ...string) string {
	return "exec:" + strings.Join(append([]string{os.Args[0], "serve", "--db", db}, flags...), " ")
}

// If the command of a side does not start a service, the error names the side and quotes what the command printed.
func TestCompare_DoesNotStart(t *testing.T) {
	t.Parallel()
	for command, c := range map[string]refusal{
		"exec: ":                      {exitUsage, "A: exec: has no command; example: exec:./brokerage"},
		"exec:echo no memory; exit 4": {exitEnded, "A, exec:echo no memory; exit 4: exit status 4: no memory"},
		"exec:false --db postgres://me:secret@127.0.0.1:1/d": {exitEnded,
			"A, exec:false --db postgres://127.0.0.1:1/d: exit status 1"},
		served("null:", "--listen", listener(t).Addr().String()): {exitEnded, "address already in use"},
	} {
		r := brokerage(t.Context(), "compare", command, "null:")
		requireOneLine(t, r, c.code, c.says)
		require.NotContains(t, r.err, "secret")
	}
}

// Two services, each in a process of its own, are compared at one rate; the result has the measurements of both.
func TestCompare_Commands(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.json")
	page := filepath.Join(t.TempDir(), "r.html")
	r := brokerage(t.Context(), "compare", served("null:"), served("null:", "--listen", "127.0.0.1:{port}"),
		"--rate", "100", "--users", "4", "--within", "1m", "--others", "100%", "--tolerance", "100%", "--json", file,
		"--out", page)
	require.Contains(t, []int{exitOK, exitUndecided}, r.code, r.out+r.err) // a busy machine may need more time
	var c compare.Result
	require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, file)), &c))
	require.Equal(t, compare.Format, c.Format)
	require.WithinDuration(t, time.Now(), c.Started, 2*time.Minute)
	require.True(t, strings.HasPrefix(r.out, c.Answer+"\n"), "the answer is the first line: %s", r.out)
	require.Positive(t, c.Sides[0].Counted)
	require.Empty(t, c.Sides[0].Failed)
	require.Positive(t, c.Sides[1].Counted)
	require.Contains(t, html.UnescapeString(testenv.Text(t, page)), c.Answer)
}

// A command that is interrupted before it has measured anything exits with the code of an interruption.
func TestCompare_Interrupted(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"compare", "null:", "null:", "--within", "1m"}, // each side warms up for three seconds
		{"drive", "--db", "null:", "--find", "p99=50ms", "--ramp", "5s"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(700*time.Millisecond, cancel)
		requireOneLine(t, brokerage(ctx, args...), exitInterrupted, "interrupted")
	}
}
