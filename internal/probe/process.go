package probe

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	ticks    = 100 // a second, in Linux's figures, whatever its clock does
	kilobyte = 1024
)

// Process returns the figures of a process. Without the process there are none.
func (s System) Process(pid int) (r Reading) {
	stat, err := s.stat(pid)
	if err != nil {
		r.miss("the process", err)
		return r
	}
	r.Figures = Figures{UserSeconds: stat.user, SystemSeconds: stat.system}
	s.addWait(&r, stat.wait)
	s.addIO(&r, pid)
	status := s.status(pid)
	for figure, name := range map[string]string{Memory: "VmRSS", PeakMemory: "VmHWM"} {
		if kilobytes, ok := status[name]; ok {
			r.Figures[figure] = kilobytes * kilobyte
		}
	}
	return r
}

// Family adds up the figures of a process and its children. Children that have ended are counted with their parent,
// which has waited for them, except for the time in which they waited for a disk. Shared memory, such as a database's
// cache, is counted once: as much as one process has touched.
func (s System) Family(pid int) (r Reading) {
	first, err := s.stat(pid)
	if err != nil {
		r.miss("the process", err)
		return r
	}
	r.Figures = Figures{
		UserSeconds: first.user + first.childrenUser, SystemSeconds: first.system + first.childrenSystem,
	}
	members := append([]int{pid}, s.children(pid)...)
	s.addIO(&r, members...)
	wait, own, shared := first.wait, 0.0, 0.0
	for _, member := range members {
		memory := s.status(member) // one that has ended since has none
		own += memory["RssAnon"]
		shared = max(shared, memory["RssShmem"])
		if member == pid {
			continue
		}
		if child, err := s.stat(member); err == nil {
			r.Figures[UserSeconds] += child.user
			r.Figures[SystemSeconds] += child.system
			wait += child.wait
		}
	}
	s.addWait(&r, wait)
	r.Figures[Memory] = kilobyte * (own + shared)
	return r
}

// addWait adds the time in which a process waited for disks, unless the kernel does not count it.
func (s System) addWait(r *Reading, wait float64) {
	const setting = "proc/sys/kernel/task_delayacct"
	if on, err := s.read(setting); err != nil {
		r.miss("I/O wait of a process", err)
	} else if string(bytes.TrimSpace(on)) != "1" {
		r.miss("I/O wait of a process", errors.New("the kernel does not count it (sysctl kernel.task_delayacct=1)"))
	} else {
		r.Figures[IOWaitSeconds] = wait
	}
}

// addIO adds the input and output of processes together, or says why it is not known of all of them. All but the first
// may have ended since they were listed.
func (s System) addIO(r *Reading, pids ...int) {
	sums := make(Figures)
	for i, pid := range pids {
		text, err := s.read("proc/%d/io", pid)
		if i > 0 && err != nil && !errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			r.miss("I/O", err)
			return
		}
		found := numbers(text)
		for figure, name := range map[string]string{
			ReadCalls: "syscr", WriteCalls: "syscw", ReadBytes: "read_bytes", WriteBytes: "write_bytes",
		} {
			sums[figure] += found[name]
		}
	}
	maps.Copy(r.Figures, sums)
}

// status returns the figures of a process's file of this name.
func (s System) status(pid int) map[string]float64 {
	text, _ := s.read("proc/%d/status", pid)
	return numbers(text)
}

// children returns the children of a process, or none where the system does not list them.
func (s System) children(pid int) (children []int) {
	lists, _ := filepath.Glob(s.path("proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for field := range bytes.FieldsSeq(text) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// processStat has figures of a process. Times are in seconds; those of children are of children that have ended.
type processStat struct {
	parent                       int
	user, system, wait           float64
	childrenUser, childrenSystem float64
}

func (s System) stat(pid int) (p processStat, err error) {
	text, err := s.read("proc/%d/stat", pid)
	if err != nil {
		return p, err
	}
	// The name, in parentheses, may hold any character; after it come the state and numbers.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const parent, user, system, childrenUser, childrenSystem, wait = 1, 11, 12, 13, 14, 39
	if len(fields) <= wait {
		return p, errors.New("its file stat has too few fields")
	}
	return processStat{
		int(number(fields[parent])),
		number(fields[user]) / ticks, number(fields[system]) / ticks, number(fields[wait]) / ticks,
		number(fields[childrenUser]) / ticks, number(fields[childrenSystem]) / ticks,
	}, nil
}

// ParentOf returns the parent of a process whose title begins with a text and contains another one, or 0. The title
// shows that it is not another process of the same number, as in a container or on another computer.
func (s System) ParentOf(pid int, begins, contains string) int {
	title, err := s.read("proc/%d/cmdline", pid)
	if err != nil || !strings.HasPrefix(string(title), begins) || !strings.Contains(string(title), contains) {
		return 0
	}
	p, _ := s.stat(pid)
	return p.parent
}
