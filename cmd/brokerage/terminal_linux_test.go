package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"brokerage/internal/result"
	"brokerage/internal/testenv"
)

// onTerminal starts the command on a new terminal with the given number of columns. What is written to keys is typed on
// it; shown collects its output.
func onTerminal(t testing.TB, width uint16, args ...string) (cmd *exec.Cmd, keys io.Writer, shown *logLines) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: width}))
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer func() { _ = terminal.Close() }()
	cmd = process(t, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	shown = &logLines{}
	go func() { _, _ = io.Copy(shown, master) }() // until the terminal is gone
	return cmd, master, shown
}

// On a terminal, a line shows the progress of the run each second; Ctrl-C erases it and ends the run with a result.
func TestDrive_Terminal(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.json")
	cmd, keys, shown := onTerminal(t, 80, "drive", "--db", "sqlite:"+tinyDB(t)+"/brokerage.db", "--users", "2", "--think",
		"5ms", "--ramp", "2s", "--duration", "1h", "--every", "2s", "--json", file)
	live := regexp.MustCompile(`\rmeasuring, (1:00:00|59:\d\d) left\x1b\[K`)
	eventually(t, func() bool { return live.MatchString(shown.String()) && strings.Contains(shown.String(), " tx ") },
		"a live line and a report in %q", shown)
	require.Regexp(t, `\rwarming up, [012]\.\d s left\x1b\[K`, shown.String())
	_, err := keys.Write([]byte{3}) // Ctrl-C
	require.NoError(t, err)
	require.Equal(t, exitEnded, (&instance{cmd: cmd}).ended(t), shown)
	run := readRun(t, file)
	require.Equal(t, result.Interrupted, run.Ended)
	require.Positive(t, run.Total.Count)
	eventually(t, func() bool { return strings.Contains(shown.String(), "the run ended early") }, "the end in %q", shown)
	text := shown.String()
	require.Contains(t, text, "INVALID: it was interrupted")
	require.Regexp(t, `^ left\x1b\[K(\^C)?\r\x1b\[K`, text[strings.LastIndex(text, " left"):], "the line is erased")
}
