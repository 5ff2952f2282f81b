package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// memoryCgroup is a control group with a memory limit. All that its processes have counts, and all pages of files that
// they were the first to read or write.
type memoryCgroup struct {
	t       testing.TB
	dir     string
	highest string // the file with the peak
}

// memoryGroup makes a control group, of version 1 or 2.
func memoryGroup(t testing.TB, limit int64) *memoryCgroup {
	t.Helper()
	const name = "brokerage-test"
	for _, kind := range []struct{ root, limit, highest string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"},
		{"/sys/fs/cgroup", "memory.max", "memory.peak"},
	} {
		dir, err := os.MkdirTemp(kind.root, name) //nolint:usetesting // it makes a group there, and nowhere else
		if err != nil {
			continue
		}
		t.Cleanup(func() { require.NoError(t, os.Remove(dir)) }) // its processes have ended
		if err := os.WriteFile(filepath.Join(dir, kind.limit), []byte(strconv.FormatInt(limit, 10)), 0o600); err != nil {
			continue
		}
		return &memoryCgroup{t, dir, filepath.Join(dir, kind.highest)}
	}
	testenv.Missing(t, "cgroup", "no control group with bounded memory can be made")
	return nil
}

// add puts a process and its children into the group. Children that begin later are in it from the start.
func (g *memoryCgroup) add(pid int) {
	g.t.Helper()
	for _, one := range processesOf(g.t, pid) {
		require.NoError(g.t, os.WriteFile(filepath.Join(g.dir, "cgroup.procs"), []byte(one), 0o600))
	}
}

// starter returns a script that starts a program in the group, so that its memory counts from the first page.
func (g *memoryCgroup) starter(program string) string {
	g.t.Helper()
	script := filepath.Join(g.t.TempDir(), "start")
	text := fmt.Sprintf("#!/bin/sh\necho $$ >'%s/cgroup.procs' && exec '%s' \"$@\"\n", g.dir, program)
	require.NoError(g.t, os.WriteFile(script, []byte(text), 0o700))
	return script
}

// used returns the bytes that the group's programs have, and those of files that it has in memory.
func (g *memoryCgroup) used() (programs, files int64) {
	g.t.Helper()
	for line := range strings.Lines(testenv.Text(g.t, filepath.Join(g.dir, "memory.stat"))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		require.NoError(g.t, err, line)
		switch name {
		case "rss", "anon": // in version 1, in version 2
			programs = n
		case "cache", "file":
			files = n
		}
	}
	return programs, files
}

func (g *memoryCgroup) most() int64 {
	g.t.Helper()
	n, err := strconv.ParseInt(strings.TrimSpace(testenv.Text(g.t, g.highest)), 10, 64)
	require.NoError(g.t, err)
	return n
}
