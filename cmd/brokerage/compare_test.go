package main

import (
	"context"
	"encoding/json"
	"html"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/compare"
	"brokerage/internal/testenv"
)

// served returns a side that is a service of its own process on a database.
func served(db string, flags ...string) string {
	return "exec:" + strings.Join(append([]string{os.Args[0], "serve", "--db", db}, flags...), " ")
}

func readComparison(t testing.TB, file string) (r compare.Result) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, file)), &r))
	return r
}

func TestCompare_BadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	tiny := "sqlite:" + tinyDB(t) + "/brokerage.db"
	result := testenv.File(t, "result.json", "{}")
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"OneSide":        {[]string{"null:"}, exitUsage, "<b>"},
		"UnknownScheme":  {[]string{"null:", "oracle:x"}, exitUsage, `B: there is no kind of databases "oracle:"`},
		"NoCommand":      {[]string{"exec: ", "null:"}, exitUsage, "exec: is without a command"},
		"Result":         {[]string{result, "null:"}, exitUsage, "is a file, not a side"},
		"OneFile":        {[]string{"sqlite:a.db", "sqlite:./a.db"}, exitUsage, "both sides name one file"},
		"Percentage":     {[]string{"null:", "null:", "--detect", "3"}, exitUsage, `"3" is not a percentage`},
		"PercentageZero": {[]string{"null:", "null:", "--tolerance", "0%"}, exitUsage, "from 0.1% to 100%"},
		"Workload":       {[]string{"null:", "null:", "--workload", "mixt"}, exitUsage, `no workload "mixt"`},
		"Folder":         {[]string{"null:", "null:", "--out", dir}, exitUsage, "is not a file"},
		"TwoOutputs": {[]string{"null:", "null:", "--json", dir + "/f", "--out", dir + "/./f"}, exitUsage,
			"is named for two outputs"},
		"Datasets":    {[]string{"null:", tiny}, exitUsage, "the sides hold different datasets: A holds null/"},
		"NoDatabase":  {[]string{"null:", "sqlite:" + dir + "/none.db"}, exitEnded, "no such file"},
		"ServiceDown": {[]string{"http://127.0.0.1:1", "null:"}, exitEnded, "A, http://127.0.0.1:1: the service at"},
		"DoesNotStart": {[]string{"null:", "exec:echo no memory; exit 4"}, exitEnded,
			"B, exec:echo no memory; exit 4: exit status 4: no memory"},
		"PortInUse": {[]string{served("null:", "--listen", listener.Addr().String()), "null:"}, exitEnded,
			"address already in use"},
		"NoPassword": {[]string{"exec:false --db postgres://me:secret@127.0.0.1:1/d", "null:"}, exitEnded,
			"A, exec:false --db postgres://127.0.0.1:1/d: exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := brokerage(t.Context(), append([]string{"compare"}, c.args...)...)
			requireOneLine(t, r, c.code, c.says)
			require.NotContains(t, r.err, "secret")
		})
	}
	require.NoFileExists(t, filepath.Join(dir, "none.db"))
}

// Two services of their own processes are compared at one rate, and the result has what was measured of both.
func TestCompare_Commands(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.json")
	page := filepath.Join(t.TempDir(), "r.html")
	r := brokerage(t.Context(), "compare", served("null:"), served("null:", "--listen", "127.0.0.1:{port}"),
		"--rate", "100", "--users", "4", "--within", "30s", "--others", "100%", "--tolerance", "100%", "--json", file,
		"--out", page)
	require.Contains(t, []int{exitOK, exitUndecided}, r.code, r.out+r.err) // a busy machine may need more time
	c := readComparison(t, file)
	require.Equal(t, compare.Format, c.Format)
	require.True(t, strings.HasPrefix(r.out, c.Answer+"\n"), "the answer is the first line: %s", r.out)
	require.Positive(t, c.Sides[0].Counted)
	require.Empty(t, c.Sides[0].Failed)
	require.Positive(t, c.Sides[1].Counted)
	require.Contains(t, html.UnescapeString(testenv.Text(t, page)), c.Answer)
}

// What is interrupted before it has measured anything ends with the exit code of an interruption.
func TestCompare_Interrupted(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"compare", "null:", "null:", "--within", "1m"}, // it warms up for three seconds each
		{"drive", "--db", "null:", "--find", "p99=50ms", "--ramp", "5s"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(700*time.Millisecond, cancel)
		requireOneLine(t, brokerage(ctx, args...), exitInterrupted, "interrupted")
	}
}
