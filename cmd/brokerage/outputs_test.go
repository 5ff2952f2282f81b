package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// requireKept runs commands whose output, the last argument, is a file that they must not write to: each is refused as
// wrong usage in one line, and the file stays as it is.
func requireKept(t *testing.T, path string, commands ...string) {
	t.Helper()
	before, statErr := os.Stat(path)
	for _, command := range commands {
		name, _, _ := strings.Cut(command, " ")
		t.Run(name+" "+filepath.Base(path), func(t *testing.T) {
			var text string
			if statErr == nil {
				text = testenv.Text(t, path)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience) // what is not refused may run for ever
			defer cancel()
			r := brokerage(ctx, append(strings.Fields(command), path)...)
			require.Equal(t, exitUsage, r.code, r.out+r.err)
			require.Contains(t, r.err, path)
			if name != "serve" { // it logs
				requireOneLine(t, r, exitUsage, path)
			}
			after, err := os.Stat(path)
			if statErr != nil {
				require.ErrorIs(t, err, os.ErrNotExist)
				return
			}
			require.NoError(t, err)
			require.True(t, os.SameFile(before, after))
			require.Equal(t, text, testenv.Text(t, path))
		})
	}
}

// quick are flags of a load that takes no time.
const quick = " --users 1 --ramp 0s --duration 10ms --allow-invalid --json"

// No output goes to a database, to the files that SQLite keeps beside it, served or not, or to a file of another kind.
func TestOutputs_Database(t *testing.T) {
	t.Parallel()
	dir := tinyDB(t)
	db, result := filepath.Join(dir, "brokerage.db"), resultFile(t, "r.json", nil)
	commands := []string{
		"backup --replace --db sqlite:" + db + " --out",
		"drive --db null:" + quick,
		"drive --db sqlite:" + db + quick,
		"drive --db null: --users 1 --ramp 0s --duration 10ms --ledger",
		"compare null: null: --within 30s --json",
		"compare null: null: --within 30s --out",
		"merge " + result + " --json",
		"report " + result + " --out",
		"token --name a --scope read --file",
		"serve --listen 127.0.0.1:0 --db null: --audit-log",
	}
	aside := t.TempDir()
	link := func(kind func(string, string) error, to string) (path string) {
		path = filepath.Join(aside, fmt.Sprintf("link-%d-%s", len(names(t, aside)), filepath.Base(to)))
		require.NoError(t, kind(to, path))
		return path
	}
	for _, path := range []string{db, db + "-wal", link(os.Symlink, db), link(os.Symlink, db+"-wal")} {
		requireKept(t, path, commands...)
	}
	requireKept(t, db+"-wal", "serve --listen 127.0.0.1:0 --db sqlite:"+db+" --audit-log")
	requireOneLine(t, brokerage(t.Context(), "migrate", "--db", "sqlite:"+db+"-wal"), exitUsage, "belongs to the database")
	hard := link(os.Link, db)
	requireKept(t, hard, commands...)
	require.NoError(t, os.Remove(hard))

	i := serving(t, dir)
	served := slices.Delete(slices.Clone(commands), 1, 3)
	for _, path := range []string{db + "-wal", db + "-shm", link(os.Symlink, db+"-wal"), link(os.Link, db+"-shm")} {
		requireKept(t, path, served...)
	}
	i.requireUntouched(t, "sqlite:"+db)
}

// No output goes to a file of another kind, or to one that the command reads.
func TestOutputs_Inputs(t *testing.T) {
	t.Parallel()
	dir := tinyDB(t)
	result := resultFile(t, "r.json", nil)
	notes := testenv.File(t, "notes.txt", "my notes\n")
	requireKept(t, notes,
		"backup --replace --db sqlite:"+filepath.Join(dir, "brokerage.db")+" --out",
		"drive --db null:"+quick,
		"drive --db null: --users 1 --ramp 0s --duration 10ms --ledger",
		"compare null: null: --within 30s --json",
		"compare null: null: --within 30s --out",
		"merge "+result+" --json",
		"report "+result+" --out",
		"serve --listen 127.0.0.1:0 --db null: --audit-log")
	for _, name := range []string{"order.templates.json", "campaign.html"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
		args := []string{"templates", "--count", "1", "--out", filepath.Dir(path)}
		if name == "campaign.html" {
			args = []string{"campaign", "--preset", "smoke", "--out", filepath.Dir(path)}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // what is not refused takes minutes
		requireOneLine(t, brokerage(ctx, args...), exitUsage, path)
		cancel()
		require.Equal(t, "mine", testenv.Text(t, path))
	}

	tokens, config := filepath.Join(t.TempDir(), "tokens"), testenv.File(t, "b.yaml", "log-level: info\n")
	succeeds(t, "token", "--name", "a", "--scope", "read", "--file", tokens)
	requireKept(t, tokens, "serve --listen 127.0.0.1:0 --db null: --tokens "+tokens+" --audit-log")
	requireKept(t, config, "serve --listen 127.0.0.1:0 --db null: --config "+config+" --audit-log")
	own := testenv.File(t, "own.json", testenv.Text(t, "../../loadtest/workloads/query.json"))
	requireKept(t, own, "drive --db null: --workload "+own+quick)
}
