package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
)

func TestProgress_Line(t *testing.T) {
	p := progress{total: 2e9}
	p.done.Store(5e8)
	require.Equal(t, "25 %  500 MB of 2.00 GB  100 MB/s  15 s left", p.line(5*time.Second))
	p.done.Store(0)
	require.Contains(t, p.line(5*time.Second), "- left")
	p.done.Store(3e9)
	require.Contains(t, p.line(5*time.Second), "100 %", "an expectation may be exceeded")
	p.total = 0
	require.Contains(t, p.line(0), "100 %")
}

// Steps before the first bytes are reported, and their time is not part of the rate.
func TestProgress_Doing(t *testing.T) {
	var out bytes.Buffer
	p := startProgress(&out, 100)
	p.start = p.start.Add(-8 * time.Second)
	p.doing("training")
	p.report(20 * time.Second)
	p.start = p.start.Add(-12 * time.Second)
	p.doing("")
	p.done.Store(50)
	p.report(25 * time.Second)
	p.finish()
	require.Equal(t, "training\ntraining, 12 s\n50 %  50 bytes of 100 bytes  10 bytes/s  5.0 s left\n", out.String())
}

// Text written by aside is on lines of its own and never mixes with the progress line, even from several goroutines.
func TestProgress_Aside(t *testing.T) {
	var out bytes.Buffer
	p := startProgress(&out, 10)
	p.draws = true // as on a terminal
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				p.aside(func() { fmt.Fprintln(&out, "aside") })
				p.report(time.Second)
			}
		})
	}
	all.Wait()
	p.finish()
	require.Equal(t, 400, strings.Count(out.String(), "\r\x1b[Kaside\n"))
	require.Equal(t, 400, strings.Count(out.String(), " left\x1b[K"))
	require.True(t, strings.HasSuffix(out.String(), "\r\x1b[K"))
}

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
