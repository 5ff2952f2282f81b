package probe

import (
	"bytes"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// memoryLimit is Go's memory limit at the start of the program, which the variable GOMEMLIMIT sets.
var memoryLimit = debug.SetMemoryLimit(-1)

// UsableMemory returns how much memory this process may use, in bytes: the computer's memory, or the lowest of
// GOMEMLIMIT and the limits of its control groups if that is less. It returns 0 if the computer's memory is unknown.
//
// A limit that is set or changed while the process runs is seen by later calls, except for GOMEMLIMIT.
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
	for line := range bytes.Lines(groups) {
		// A line is a number, controllers and a path, separated by colons; version 2 has no controllers here.
		fields := strings.SplitN(string(bytes.TrimSpace(line)), ":", 3)
		if len(fields) < 3 {
			continue
		}
		switch root := "sys/fs/cgroup"; {
		case fields[1] == "":
			usable = s.groupLimit(usable, root, fields[2], "memory.max")
		case strings.Contains(","+fields[1]+",", ",memory,"):
			usable = s.groupLimit(usable, root+"/memory", fields[2], "memory.limit_in_bytes")
		}
	}
	return usable
}

// groupLimit returns the lowest limit of a control group and all groups around it, or lowest if that is less. In a
// container without a namespace for groups, root is the container's group, and there is nothing at path.
func (s System) groupLimit(lowest int64, root, path, file string) int64 {
	for path = filepath.Clean("/" + path); ; path = filepath.Dir(path) {
		text, _ := s.read("%s/%s/%s", root, path, file)
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil { // or it is "max"
			lowest = min(lowest, n)
		}
		if path == "/" {
			return lowest
		}
	}
}
