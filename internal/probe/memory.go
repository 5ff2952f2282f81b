package probe

import (
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// memoryLimit is Go's memory limit at the start of the program, which the variable GOMEMLIMIT sets.
var memoryLimit = debug.SetMemoryLimit(-1)

// UsableMemory returns how much memory this process may use, in bytes: the computer's memory, or the lowest of
// GOMEMLIMIT and the limits of its control group (of version 2) and of all groups that it is in, if that is less. It
// returns 0 if the computer's memory is unknown. A limit of a group that changes is seen by later calls.
func (s System) UsableMemory() int64 {
	files, err := procfs.NewFS(s.path("proc"))
	if err != nil {
		return 0
	}
	memory, err := files.Meminfo()
	if err != nil || memory.MemTotalBytes == nil {
		return 0
	}
	usable := min(int64(*memory.MemTotalBytes), memoryLimit) //nolint:gosec // no computer has more
	groups, _ := s.read("proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		// In a container without a namespace for groups, the root is the container's group, and nothing is at the path.
		for path := group; ok; path = filepath.Dir(path) {
			text, _ := s.read("sys/fs/cgroup/%s/memory.max", path)
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // or it is "max"
				usable = min(usable, n)
			}
			ok = path != filepath.Dir(path)
		}
	}
	return usable
}
