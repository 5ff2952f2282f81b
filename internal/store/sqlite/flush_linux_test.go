package sqlite

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// What a killed process cannot show: that an answer comes after the flush of its group, and that the folder is flushed
// when the file comes to be. The system calls of a client that writes one order after the other show it.
func TestFlush_BeforeTheAnswer(t *testing.T) {
	strace := testenv.Command(t, "strace")
	dir := t.TempDir()
	path, trace := filepath.Join(dir, "brokerage.db"), filepath.Join(dir, "trace")
	cmd := exec.CommandContext(
		t.Context(), strace, "-f", "-y", "-o", trace, "-e", "trace=write,pwrite64,fsync,fdatasync,openat", os.Args[0],
	)
	cmd.Env = append(os.Environ(), victimOf+"="+path, victimInTurn+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, inTurn, strings.Count(string(out), "order "))

	log, err := os.ReadFile(trace)
	require.NoError(t, err)
	wal := regexp.QuoteMeta(path + "-wal")
	writes := regexp.MustCompile(`pwrite64\(\d+<` + wal + `>`)
	flushes := regexp.MustCompile(`f(data)?sync\(\d+<` + wal + `>`)
	folder := regexp.MustCompile(`fsync\(\d+<` + regexp.QuoteMeta(dir) + `>`)
	answers := regexp.MustCompile(`write\(1<.*"order \d+\\n"`)
	unflushed, written, answered, folderFlushed := false, 0, 0, false
	lines := bufio.NewScanner(bytes.NewReader(log))
	for lines.Scan() {
		switch line := lines.Text(); {
		case writes.MatchString(line):
			unflushed = true
			written++
		case flushes.MatchString(line):
			unflushed = false
		case folder.MatchString(line):
			folderFlushed = true
		case answers.MatchString(line):
			answered++
			require.True(t, folderFlushed, "an answer before the folder was flushed")
			require.False(t, unflushed, "an answer before the flush of what it says")
		}
	}
	require.NoError(t, lines.Err())
	require.Equal(t, inTurn, answered)
	require.GreaterOrEqual(t, written, inTurn, "the trace shows the writes")
}
