package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

// requireKept runs commands with path, an output that they must not write to or create, as the last argument: each is
// refused as wrong usage, in one line unless it logs.
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
	"compare null: null: --json",
	"compare null: null: --out",
	"merge RESULT --json",
	"report RESULT --out",
	"token --name a --scope read --file",
	"serve --listen 127.0.0.1:0 --db null: --audit-log",
}

// No output goes to a database or to SQLite's files beside it, served or not. Links are tested in package output.
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
	page := testenv.File(t, "campaign.html", "mine")
	refused := brokerage(t.Context(), "campaign", "--preset", "smoke", "--out", filepath.Dir(page))
	requireOneLine(t, refused, exitUsage, page)
	require.Equal(t, "mine", testenv.Text(t, page))

	tokens, config := filepath.Join(t.TempDir(), "tokens"), testenv.File(t, "b.yaml", "log-level: info\n")
	succeeds(t, "token", "--name", "a", "--scope", "read", "--file", tokens)
	requireKept(t, tokens, "serve --listen 127.0.0.1:0 --db null: --tokens "+tokens+" --audit-log")
	requireKept(t, config, "serve --listen 127.0.0.1:0 --db null: --config "+config+" --audit-log")
	own := testenv.File(t, "own.json", testenv.Text(t, "../../loadtest/workloads/query.json"))
	requireKept(t, own, "drive --db null: --workload "+own+quick)
	requireKept(t, result, "merge "+result+" --json", "report "+result+" --out")
}

// zstdFolder returns a folder with a compressed file of documents, and the size of that file.
func zstdFolder(t testing.TB, documents []byte) (folder string, size int) {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	packed := encoder.EncodeAll(documents, nil)
	folder = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.xml.zst"), packed, 0o600))
	return folder, len(packed)
}

// A file of few bytes that holds any number of broken documents is reported in few lines, and one that unpacks to far
// more than documents do is refused.
func TestInputs_Bomb(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	first := dataset.New(dataset.Spec{Seed: 1}).Append(nil, dataset.Security, 0)
	folder, size := zstdFolder(t, append(append(first, '\n'), bytes.Repeat([]byte("<\n"), 20_000)...))
	require.Less(t, size, 9000)
	r := succeeds(t, "load", "--from", folder, "--db", "sqlite:"+filepath.Join(t.TempDir(), "b.db"))
	require.Equal(t, 100, strings.Count(r.err, "a.xml.zst:"))
	require.Contains(t, r.err, "further documents that are refused are only counted\n")
	require.Contains(t, r.out, "20,000 refused: 1 document in ")

	folder, size = zstdFolder(t, bytes.Repeat([]byte("\n"), 100<<20))
	require.Less(t, size, 20_000)
	r = brokerage(t.Context(), "load", "--from", folder, "--db", "sqlite:"+filepath.Join(t.TempDir(), "b.db"))
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.err, "a.xml.zst: it unpacks to more than 67.1 MB and more than 1,000 times its size\n")
}

// What is not a regular file, or too large for one of its kind, is refused at once.
func TestInputs_NotFiles(t *testing.T) {
	t.Parallel()
	dir, tiny := t.TempDir(), tinyDB(t)
	pipe, huge := filepath.Join(dir, "pipe"), filepath.Join(dir, "huge.json")
	require.NoError(t, exec.CommandContext(t.Context(), "mkfifo", pipe).Run())
	require.NoError(t, os.WriteFile(huge, nil, 0o600))
	require.NoError(t, os.Truncate(huge, 1<<40))
	result := resultFile(t, "r.json", nil)
	for _, path := range []string{"/dev/zero", pipe, huge, dir} {
		says := path + " is not a file"
		if path == huge {
			says = path + " is larger than 268 MB"
		}
		for _, command := range []string{
			"report FILE", "report " + result + " FILE", "merge " + result + " FILE",
			"verify --db sqlite:" + tiny + "/brokerage.db --ledger FILE", "drive --db null: --workload FILE",
			"restore --db sqlite:" + filepath.Join(dir, "b.db") + " --from FILE",
		} {
			if (path == huge || path == dir) && strings.HasPrefix(command, "restore") {
				continue // a backup may have any size, and ends with its manifest; a folder may hold backups
			}
			says := says
			if path == huge && strings.HasPrefix(command, "verify") {
				says = path + ": line 1: this is not a ledger of brokerage drive" // which may have any number of lines
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			r := brokerage(ctx, strings.Fields(strings.Replace(command, "FILE", path, 1))...)
			cancel()
			require.NotEqual(t, exitOK, r.code, command)
			require.Contains(t, r.err, says, command)
			require.Equal(t, 1, strings.Count(r.err, "\n"), r.err)
		}
	}
}
