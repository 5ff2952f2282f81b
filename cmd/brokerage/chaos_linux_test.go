package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// memoryCgroup is a control group with a memory limit.
type memoryCgroup struct {
	t       testing.TB
	dir     string
	highest string // the file with the peak
}

// memoryGroup makes a control group, of version 1 or 2.
func memoryGroup(t testing.TB, limit int64) *memoryCgroup {
	t.Helper()
	const name = "brokerage-chaos"
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

func (g *memoryCgroup) add(pid int) {
	g.t.Helper()
	require.NoError(g.t, os.WriteFile(filepath.Join(g.dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o600))
}

func (g *memoryCgroup) most() int64 {
	g.t.Helper()
	text, err := os.ReadFile(g.highest)
	require.NoError(g.t, err)
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	require.NoError(g.t, err)
	return n
}
