package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// writers are commands that write to a file, the last argument. DB stands for a database, RESULT for a result.
var writers = []string{
	"backup --replace --db sqlite:DB --out",
	"drive --db null:" + quick,
	"drive --db sqlite:DB" + quick,
	"drive --db null: --users 1 --ramp 0s --duration 10ms --ledger",
	"compare null: null: --within 30s --json",
	"compare null: null: --within 30s --out",
	"merge RESULT --json",
	"report RESULT --out",
	"token --name a --scope read --file",
	"serve --listen 127.0.0.1:0 --db null: --audit-log",
}

// No output goes to a database or to the files that SQLite keeps beside it, served or not. Package output tests links.
func TestOutputs_Database(t *testing.T) {
	t.Parallel()
	dir := tinyDB(t)
	db := filepath.Join(dir, "brokerage.db")
	var commands []string
	for _, command := range writers {
		commands = append(commands, strings.NewReplacer("DB", db, "RESULT", resultFile(t, "r.json", nil)).Replace(command))
	}
	requireKept(t, db, commands...)
	requireKept(t, db+"-wal", append(commands, "serve --listen 127.0.0.1:0 --db sqlite:"+db+" --audit-log")...)
	requireOneLine(t, brokerage(t.Context(), "migrate", "--db", "sqlite:"+db+"-wal"), exitUsage, "belongs to the database")

	i := serving(t, dir)
	requireKept(t, db+"-shm", slices.Delete(commands, 1, 3)...)
	i.requireUntouched(t, "sqlite:"+db)
}

// No output goes to a file of another kind, or to one that the command reads.
func TestOutputs_Inputs(t *testing.T) {
	t.Parallel()
	db, result := filepath.Join(tinyDB(t), "brokerage.db"), resultFile(t, "r.json", nil)
	notes := testenv.File(t, "notes.txt", "my notes\n")
	for _, command := range writers {
		requireKept(t, notes, strings.NewReplacer("DB", db, "RESULT", result).Replace(command))
	}
	for name, command := range map[string]string{
		"order.templates.json": "templates --count 1 --out ", "campaign.html": "campaign --preset smoke --out ",
	} {
		path := testenv.File(t, name, "mine")
		requireOneLine(t, brokerage(t.Context(), strings.Fields(command+filepath.Dir(path))...), exitUsage, path)
		require.Equal(t, "mine", testenv.Text(t, path))
	}

	tokens, config := filepath.Join(t.TempDir(), "tokens"), testenv.File(t, "b.yaml", "log-level: info\n")
	succeeds(t, "token", "--name", "a", "--scope", "read", "--file", tokens)
	requireKept(t, tokens, "serve --listen 127.0.0.1:0 --db null: --tokens "+tokens+" --audit-log")
	requireKept(t, config, "serve --listen 127.0.0.1:0 --db null: --config "+config+" --audit-log")
	own := testenv.File(t, "own.json", testenv.Text(t, "../../loadtest/workloads/query.json"))
	requireKept(t, own, "drive --db null: --workload "+own+quick)
	requireKept(t, result, "merge "+result+" --json", "report "+result+" --out")
}
