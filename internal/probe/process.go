package probe

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

const ticks = 100 // clock ticks a second in /proc (USER_HZ), whatever the kernel's own rate

// Process returns the figures of a process, or none if it does not exist.
func (s System) Process(pid int) Reading {
	r, _, _ := s.process(pid)
	return r
}

func (s System) process(pid int) (r Reading, stat procfs.ProcStat, status procfs.ProcStatus) {
	var p procfs.Proc
	files, err := procfs.NewFS(s.path("proc"))
	if err == nil {
		p, err = files.Proc(pid)
	}
	if err == nil {
		stat, err = p.Stat()
	}
	if err != nil {
		r.miss("the process", err)
		return r, stat, status
	}
	r.Figures = Figures{UserSeconds: float64(stat.UTime) / ticks, SystemSeconds: float64(stat.STime) / ticks}
	if on, _ := s.read("proc/sys/kernel/task_delayacct"); string(bytes.TrimSpace(on)) == "1" {
		r.Figures[IOWaitSeconds] = float64(stat.DelayAcctBlkIOTicks) / ticks
	} else {
		r.miss("I/O wait of a process", errors.New("the kernel does not count it (sysctl kernel.task_delayacct=1)"))
	}
	if io, err := p.IO(); err != nil {
		r.miss("I/O", err)
	} else {
		maps.Copy(r.Figures, Figures{ReadCalls: float64(io.SyscR), WriteCalls: float64(io.SyscW),
			ReadBytes: float64(io.ReadBytes), WriteBytes: float64(io.WriteBytes)})
	}
	if status, err = p.NewStatus(); err != nil {
		r.miss("memory", err)
	} else {
		r.Figures[Memory], r.Figures[PeakMemory] = float64(status.VmRSS), float64(status.VmHWM)
	}
	return r, stat, status
}

// Family adds up the figures of a process and its children. A figure that cannot be read for one of them is left out.
// Children that have ended are counted with their parent, which has waited for them, except for the time in which they
// waited for a disk. Shared memory, such as a database's cache, is counted once: the most that one process has touched.
func (s System) Family(pid int) Reading {
	r, stat, status := s.process(pid)
	if r.Figures == nil {
		return r
	}
	r.Figures[UserSeconds] += float64(stat.CUTime) / ticks
	r.Figures[SystemSeconds] += float64(stat.CSTime) / ticks
	own, shared := status.RssAnon, status.RssShmem
	for _, pid := range s.Children(pid) {
		child, _, status := s.process(pid)
		if _, err := os.Stat(s.path("proc/%d", pid)); child.Figures == nil || err != nil {
			continue // it has ended since
		}
		own, shared = own+status.RssAnon, max(shared, status.RssShmem)
		for name := range r.Figures {
			if v, ok := child.Figures[name]; ok {
				r.Figures[name] += v
			} else {
				delete(r.Figures, name)
			}
		}
		for _, missing := range child.Missing {
			if !slices.Contains(r.Missing, missing) {
				r.Missing = append(r.Missing, missing)
			}
		}
	}
	r.Figures[Memory] = float64(own + shared)
	delete(r.Figures, PeakMemory)
	return r
}

// Children returns the children of a process, or none if the system does not list them.
func (s System) Children(pid int) (children []int) {
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

// ParentOf returns the parent of a process if the process's title begins with one text and contains another, else 0. A
// process of another container or computer may have the same number, but it has another title.
func (s System) ParentOf(pid int, begins, contains string) int {
	text, err := s.read("proc/%d/cmdline", pid)
	title := strings.ReplaceAll(string(text), "\x00", " ")
	if err != nil || !strings.HasPrefix(title, begins) || !strings.Contains(title, contains) {
		return 0
	}
	_, stat, _ := s.process(pid)
	return stat.PPID
}
