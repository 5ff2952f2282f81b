package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// zstdFolder returns a folder with a file of documents, compressed, and its size.
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
	require.Contains(t, r.err, "a.xml.zst: it unpacks to more than 67.1 MB, 1,000 times its size\n")
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
				continue // a backup may have any size, and ends with its manifest; a folder may hold some
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
