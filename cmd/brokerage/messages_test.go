package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/sqlite/sqlitetest"
)

// For a newcomer's mistake, the message suggests what to type instead.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("bad.yaml", []byte("a: b\n"), 0o600))
	require.NoError(t, os.WriteFile("half.json", []byte(`{"format": "brokerage-run/1",`), 0o600))
	require.NoError(t, os.WriteFile("there.db", sqlitetest.TinyFile(t), 0o600))
	require.Equal(t, exitOK, brokerage(t.Context(), "backup", "--db", "sqlite:there.db", "--out", "there.bak").code)
	before := listed(t)
	for command, c := range map[string]struct {
		code int
		says string
	}{
		"serve --port 8380": {
			exitUsage,
			"--port: there is no such flag; --listen takes address and port: --listen 127.0.0.1:8380, or --listen :8380 for " +
				"all addresses",
		},
		"serve --listen 8380": {
			exitUsage, `--listen: "8380" is not an address: 127.0.0.1:8380 is this machine only, :8380 all of its addresses`,
		},

		"serve --timeout 10": {exitUsage, `--timeout: "10" has no unit: 10s, or 10ms, 10m, 10h`},
		"drive --durations 60s": {exitUsage, `unknown flag --durations, did you mean "--duration"? ` +
			"(brokerage drive --help says more)\n"},
		"driv":                       {exitUsage, "(brokerage --help says more)\n"},
		"drive --workload half.json": {exitUsage, "brokerage drive: workload half.json: "},
		"drive --duration soon":      {exitUsage, `--duration: "soon" is not a time such as 500ms, 10s or 2m`},

		"serve --db brokerage.db": {
			exitUsage, `"brokerage.db" is not a database: did you mean sqlite:brokerage.db?`,
		},
		"campaign --out study --db b.db": {exitUsage, `did you mean sqlite:b.db?`},
		"load --db sqlite:none/x.db":     {exitFailed, "none/x.db: there is no folder none\n"},
		"drive --db null: --json none/r.json": {
			exitUsage,
			"--json: " + filepath.Join(dir, "none", "r.json") + ": there is no folder " + filepath.Join(dir, "none") + "\n",
		},
		"backup --db sqlite:there.db --out n/b": {exitFailed, "there is no folder " + filepath.Join(dir, "n") + "\n"},
		"load --db sqlite:new.db --scale XXL":   {exitFailed, ". needs about "},

		"report bad.yaml": {
			exitFailed,
			"brokerage report: bad.yaml:1:1: invalid character 'a' looking for beginning of value: a file of results is JSON, " +
				"campaign.json or what brokerage drive --json or k6 run --out json wrote\n",
		},
		"report half.json": {exitFailed, "brokerage report: half.json:1:29: unexpected end of JSON input\n"},

		"campaign --out study --scale XXL":                      {exitFailed, " needs about "},
		"campaign --out a/b/study --preset none.yaml":           {exitUsage, "none.yaml: no such file"},
		"campaign --out study --db sqlite:there.db":             {exitFailed, "--replace empties it"},
		"campaign --out study --db postgres://127.0.0.1:1/none": {exitFailed, "connection refused"},
	} {
		t.Run(command, func(t *testing.T) {
			r := brokerage(t.Context(), strings.Fields(command)...)
			requireOneLine(t, r, c.code, c.says)
			require.Equal(t, before, listed(t), "what is refused leaves nothing")
		})
	}
}

// listed returns the files and folders of the working directory, except those of the database that existed.
func listed(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(names(t, "."), func(name string) bool { return strings.HasPrefix(name, "there.") })
}

func TestVersion(t *testing.T) {
	want := brokerage(t.Context(), "version")
	require.Contains(t, want.out, "generator version 1")
	for _, args := range [][]string{{"--version"}, {"serve", "--version"}} {
		require.Equal(t, want, brokerage(t.Context(), args...))
	}
}
