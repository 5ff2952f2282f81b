package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// A Group is the control group of a server. It counts the processor time of all its processes, and can limit it.
type Group struct{ limits, counts string } // folders of the controllers cpu and cpuacct

// quotaPeriod is short, so that no process sleeps for long while it holds a lock.
const quotaPeriod = 10 * time.Millisecond

// Group puts the server into a control group without a limit until the test ends. The test is skipped if no control
// group of version 1 can be made.
func (s *Server) Group(t testing.TB) *Group {
	t.Helper()
	const controllers = "/sys/fs/cgroup"
	name := "brokerage-" + filepath.Base(s.dir)
	g := &Group{filepath.Join(controllers, "cpu", name), filepath.Join(controllers, "cpuacct", name)}
	for _, dir := range []string{g.limits, g.counts} {
		if err := os.MkdirAll(dir, 0o755); err != nil { // both controllers may have the same folder
			t.Skip("no control group of version 1 can be made: ", err)
		}
		t.Cleanup(func() { // the server ends after this
			require.Eventually(t, func() bool {
				members, _ := os.ReadFile(filepath.Join(dir, procs))
				for pid := range strings.FieldsSeq(string(members)) {
					_ = os.WriteFile(filepath.Join(dir, "..", procs), []byte(pid), 0o600) // it may have ended
				}
				err := os.Remove(dir) // it is busy while processes come and go
				return err == nil || os.IsNotExist(err)
			}, time.Minute, 10*time.Millisecond)
		})
		add(t, dir, s.PID(t))
	}
	return g
}

// procs is the file that lists the processes of a control group.
const procs = "cgroup.procs"

// add puts a process and its children into a folder of a group. Children that begin later are in it from the start.
func add(t testing.TB, dir string, parent int) {
	t.Helper()
	into := filepath.Join(dir, procs)
	require.NoError(t, os.WriteFile(into, []byte(strconv.Itoa(parent)), 0o600))
	for child := range strings.FieldsSeq(testenv.Text(t, fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))) {
		_ = os.WriteFile(into, []byte(child), 0o600) // it may have ended
	}
}

// Limit gives the server a number of processors, such as 0.2; 0 is no limit.
func (g *Group) Limit(t testing.TB, processors float64) {
	t.Helper()
	quota := int64(processors * float64(quotaPeriod.Microseconds()))
	if quota == 0 {
		quota = -1
	}
	period := quotaPeriod.Microseconds()
	for name, micros := range map[string]int64{"cpu.cfs_period_us": period, "cpu.cfs_quota_us": quota} {
		require.NoError(t, os.WriteFile(filepath.Join(g.limits, name), strconv.AppendInt(nil, micros, 10), 0o600))
	}
}

// Used returns the processor time that the server has used since it joined the group.
func (g *Group) Used(t testing.TB) time.Duration {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(g.counts, "cpuacct.usage"))
	require.NoError(t, err)
	nanos, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	require.NoError(t, err)
	return time.Duration(nanos)
}
