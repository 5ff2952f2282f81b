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

	"github.com/prometheus/procfs"
)

const ticks = 100 // a second, in Linux's figures, whatever its clock does

// process returns a process with its times.
func (s System) process(pid int) (p procfs.Proc, stat procfs.ProcStat, err error) {
	files, err := procfs.NewFS(s.path("proc"))
	if err == nil {
		p, err = files.Proc(pid)
	}
	if err == nil {
		stat, err = p.Stat()
	}
	return p, stat, err
}

// Process returns the figures of a process. Without the process there are none.
func (s System) Process(pid int) (r Reading) {
	p, stat, err := s.process(pid)
	if err != nil {
		r.miss("the process", err)
		return r
	}
	r.Figures = Figures{UserSeconds: float64(stat.UTime) / ticks, SystemSeconds: float64(stat.STime) / ticks}
	s.addWait(&r, stat.DelayAcctBlkIOTicks)
	s.addIO(&r, p)
	if status, err := p.NewStatus(); err != nil {
		r.miss("memory", err)
	} else {
		r.Figures[Memory], r.Figures[PeakMemory] = float64(status.VmRSS), float64(status.VmHWM)
	}
	return r
}

// Family adds up the figures of a process and its children. Children that have ended are counted with their parent,
// which has waited for them, except for the time in which they waited for a disk. Shared memory, such as a database's
// cache, is counted once: as much as one process has touched.
func (s System) Family(pid int) (r Reading) {
	parent, stat, err := s.process(pid)
	if err != nil {
		r.miss("the process", err)
		return r
	}
	members := []procfs.Proc{parent}
	user, system := int(stat.UTime)+stat.CUTime, int(stat.STime)+stat.CSTime
	wait := stat.DelayAcctBlkIOTicks
	for _, child := range s.Children(pid) {
		p, stat, err := s.process(child)
		if err != nil {
			continue // it has ended since
		}
		members = append(members, p)
		user, system = user+int(stat.UTime), system+int(stat.STime)
		wait += stat.DelayAcctBlkIOTicks
	}
	r.Figures = Figures{UserSeconds: float64(user) / ticks, SystemSeconds: float64(system) / ticks}
	s.addWait(&r, wait)
	s.addIO(&r, members...)
	own, shared := uint64(0), uint64(0)
	for _, p := range members {
		memory, _ := p.NewStatus() // one that has ended since has none
		own += memory.RssAnon
		shared = max(shared, memory.RssShmem)
	}
	r.Figures[Memory] = float64(own + shared)
	return r
}

// addWait adds the time in which processes waited for disks, unless the kernel does not count it.
func (s System) addWait(r *Reading, wait uint64) {
	on, err := s.read("proc/sys/kernel/task_delayacct")
	switch {
	case err != nil:
		r.miss("I/O wait of a process", err)
	case string(bytes.TrimSpace(on)) != "1":
		r.miss("I/O wait of a process", errors.New("the kernel does not count it (sysctl kernel.task_delayacct=1)"))
	default:
		r.Figures[IOWaitSeconds] = float64(wait) / ticks
	}
}

// addIO adds the input and output of processes together, or says why it is not known of all of them. All but the first
// may have ended since they were listed.
func (s System) addIO(r *Reading, processes ...procfs.Proc) {
	sums := Figures{ReadCalls: 0, WriteCalls: 0, ReadBytes: 0, WriteBytes: 0}
	for i, p := range processes {
		io, err := p.IO()
		if i > 0 && err != nil && !errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			r.miss("I/O", err)
			return
		}
		sums[ReadCalls] += float64(io.SyscR)
		sums[WriteCalls] += float64(io.SyscW)
		sums[ReadBytes] += float64(io.ReadBytes)
		sums[WriteBytes] += float64(io.WriteBytes)
	}
	maps.Copy(r.Figures, sums)
}

// Children returns the children of a process, or none where the system does not list them.
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

// ParentOf returns the parent of a process whose title begins with a text and contains another one, or 0. The title
// shows that it is not another process of the same number, as in a container or on another computer.
func (s System) ParentOf(pid int, begins, contains string) int {
	p, stat, err := s.process(pid)
	if err != nil {
		return 0
	}
	words, err := p.CmdLine()
	title := strings.Join(words, " ")
	if err != nil || !strings.HasPrefix(title, begins) || !strings.Contains(title, contains) {
		return 0
	}
	return stat.PPID
}
