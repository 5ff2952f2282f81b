package probe_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
)

// tree writes files below a folder, by path, and returns the folder.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	return root
}

// stat returns the content of a process's file stat; times are in hundredths of a second.
func stat(name string, parent, user, system, childrenUser, childrenSystem, wait int) string {
	return fmt.Sprintf("7 (%s) S %d 7 7 0 -1 4194560 100 0 0 0 %d %d %d %d 20 0 1 0 611 313 390 184 "+
		"0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 %d 0 0 0 0 0 0 0 0 0 0\n",
		name, parent, user, system, childrenUser, childrenSystem, wait)
}

const io = "rchar: 1\nwchar: 2\nsyscr: %d\nsyscw: %d\nread_bytes: %d\nwrite_bytes: %d\ncancelled_write_bytes: 0\n"

// server returns the files of a server with two running children, one of them a connection, and others that have ended.
func server() map[string]string {
	return map[string]string{
		"proc/sys/kernel/task_delayacct": "1\n",
		"proc/7/stat":                    stat("post) master (", 1, 100, 50, 1000, 500, 10),
		"proc/7/io":                      fmt.Sprintf(io, 1, 2, 4096, 8192),
		"proc/7/status":                  "Name:\tpostmaster\nRssAnon:\t 100 kB\nRssShmem:\t 10 kB\n",
		"proc/7/task/7/children":         "8 9 10 ",
		"proc/7/cmdline":                 "/usr/bin/postgres\x00",
		"proc/8/stat":                    stat("checkpointer", 7, 10, 20, 0, 0, 30),
		"proc/8/io":                      fmt.Sprintf(io, 3, 4, 4096, 16384),
		"proc/8/status":                  "RssAnon:\t 200 kB\nRssShmem:\t 3000 kB\n",
		"proc/9/stat":                    stat("postgres", 7, 300, 200, 0, 0, 60),
		"proc/9/io":                      fmt.Sprintf(io, 5, 6, 0, 0),
		"proc/9/status":                  "VmRSS:\t 4300 kB\nVmHWM:\t 5000 kB\nRssAnon:\t 300 kB\nRssShmem:\t 4000 kB\n",
		"proc/9/cmdline":                 "postgres: app tpox 127.0.0.1(4711) SELECT\x00",
		// 10 has ended since the children were listed.
	}
}

func TestProcess(t *testing.T) {
	here := probe.At(tree(t, server()))
	require.Equal(t, probe.Reading{Figures: probe.Figures{
		probe.UserSeconds: 3, probe.SystemSeconds: 2, probe.IOWaitSeconds: .6, probe.ReadCalls: 5, probe.WriteCalls: 6,
		probe.ReadBytes: 0, probe.WriteBytes: 0, probe.Memory: 4300 << 10, probe.PeakMemory: 5000 << 10,
	}}, here.Process(9))
	gone := here.Process(10)
	require.Nil(t, gone.Figures)
	require.Len(t, gone.Missing, 1)
}

// A family includes the children that run and those that have ended; shared memory is counted once.
func TestFamily(t *testing.T) {
	require.Equal(t, probe.Reading{Figures: probe.Figures{
		probe.UserSeconds: 1 + 10 + .1 + 3, probe.SystemSeconds: .5 + 5 + .2 + 2, probe.IOWaitSeconds: .1 + .3 + .6,
		probe.ReadCalls: 9, probe.WriteCalls: 12, probe.ReadBytes: 8192, probe.WriteBytes: 24576,
		probe.Memory: (100 + 200 + 300 + 4000) << 10,
	}}, probe.At(tree(t, server())).Family(7))
}

func TestParentOf(t *testing.T) {
	here := probe.At(tree(t, server()))
	require.Equal(t, 7, here.ParentOf(9, "postgres: ", "app tpox "))
	require.Zero(t, here.ParentOf(9, "postgres: ", "app other "))
	require.Zero(t, here.ParentOf(10, "", ""))
}

// A figure that cannot be read for one process is left out, since its sum would be wrong; the other figures are there.
func TestFamily_Missing(t *testing.T) {
	files := server()
	files["proc/sys/kernel/task_delayacct"] = "0\n"
	delete(files, "proc/9/io")
	r := probe.At(tree(t, files)).Family(7)
	require.Len(t, r.Figures, 3)
	require.Subset(t, r.Figures, probe.Figures{probe.UserSeconds: 1 + 10 + .1 + 3, probe.SystemSeconds: .5 + 5 + .2 + 2})
	require.Equal(t, []string{"I/O wait of a process: the kernel does not count it (sysctl kernel.task_delayacct=1)",
		"I/O: no such file or directory"}, r.Missing)
}

func TestHost(t *testing.T) {
	files := map[string]string{
		"proc/stat": "cpu  100 20 300 4000 50 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
		"proc/diskstats": "   7 0 loop0 9 9 9 9 9 9 9 9 0 0 0\n 254 0 vda 10 0 100 0 20 0 200 0 0 0 0\n" +
			" 254 1 vda1 9 9 9 9 9 9 9 9 0 0 0\n 253 0 dm-0 9 9 9 9 9 9 9 9 0 0 0\n 8 0 sda 1 0 2 0 3 0 4 0 0 0 0\n",
		"sys/block/vda/size": "1", "sys/block/sda/size": "1", "sys/block/loop0/size": "1", "sys/block/dm-0/size": "1",
	}
	require.Equal(t, probe.Reading{Figures: probe.Figures{
		probe.UserSeconds: 1.2, probe.SystemSeconds: 3 + .06 + .07, probe.IdleSeconds: 40, probe.IOWaitSeconds: .5,
		probe.StealSeconds: .08, probe.InterruptSeconds: .13,
		probe.Reads: 11, probe.Writes: 23, probe.ReadBytes: 102 * 512, probe.WriteBytes: 204 * 512,
	}}, probe.At(tree(t, files)).Host())

	nothing := probe.At(t.TempDir()).Host()
	require.Empty(t, nothing.Figures)
	require.Len(t, nothing.Missing, 2)
}

// This computer's own files have the form that the tests assume.
func TestHere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has the files")
	}
	for range 100_000_000 { // some processor time, so that a wrong column would be seen as 0
	}
	self := probe.Here.Process(os.Getpid())
	require.Positive(t, self.Figures[probe.UserSeconds]+self.Figures[probe.SystemSeconds])
	require.Greater(t, self.Figures[probe.Memory], float64(1<<20))
	require.GreaterOrEqual(t, self.Figures[probe.PeakMemory], self.Figures[probe.Memory])
	family := probe.Here.Family(os.Getppid())
	require.GreaterOrEqual(t, family.Figures[probe.Memory], 0.5*self.Figures[probe.Memory])
	require.Positive(t, probe.Here.Host().Figures[probe.IdleSeconds])
	require.Greater(t, float64(probe.Here.UsableMemory()), self.Figures[probe.Memory])
}
