package campaign

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"brokerage/internal/workload"
)

// familyWatch measures a database's processes: the first of them and its children.
type familyWatch struct{ watch }

// watchDatabase starts to measure the database of an engine, if it has processes on this machine.
func watchDatabase(ctx context.Context, e Engine) (*familyWatch, error) {
	w := &familyWatch{}
	pid, err := e.Server(ctx)
	if err != nil {
		return nil, err
	}
	w.read = func() map[string]float64 { return readFamily(pid) }
	w.start()
	return w, nil
}

// The figures of a family of processes.
const (
	familyCPU    = "cpu"    // seconds
	familyMemory = "memory" // bytes
)

// addTo adds what the database used while a run was measured. The peak of its memory is that of the whole run.
func (w *familyWatch) addTo(run *workload.Run) {
	before, after, ok := w.measured(run)
	if !ok {
		return
	}
	p := &workload.Process{
		CPUSeconds:   after[familyCPU] - before[familyCPU],
		MemoryBefore: int64(before[familyMemory]), MemoryAfter: int64(after[familyMemory]),
	}
	if run.Measured > 0 {
		p.CPU = p.CPUSeconds / run.Measured / float64(runtime.GOMAXPROCS(0))
	}
	for _, r := range w.readings {
		p.MemoryPeak = max(p.MemoryPeak, int64(r.figures[familyMemory]))
	}
	run.Usage.Database = p
}

// readFamily adds up the figures of a process and its children. Children that have ended are counted with their parent,
// which has waited for them. Shared memory, such as a database's cache, is counted once: as much as one process has
// touched.
func readFamily(pid int) map[string]float64 {
	first, ok := readProcessStat(pid)
	if !ok {
		return nil
	}
	cpu, own, shared := first.cpu+first.childrenCPU, 0.0, 0.0
	for _, member := range append(childrenOf(pid), pid) {
		memory := readProcess(member, "status") // one that has ended since has none
		own += memory["RssAnon"]
		shared = math.Max(shared, memory["RssShmem"])
		if member != pid {
			child, _ := readProcessStat(member)
			cpu += child.cpu
		}
	}
	return map[string]float64{familyCPU: cpu, familyMemory: kilobyte * (own + shared)}
}

// childrenOf returns the children of a process, or none where the system does not list them.
func childrenOf(pid int) (children []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
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

// processStat has figures of a process. Times are in seconds.
type processStat struct {
	parent           int
	cpu, childrenCPU float64 // of children that have ended
}

// ticks is how many clock ticks a second has in Linux's figures, whatever its clock does.
const ticks = 100

func readProcessStat(pid int) (p processStat, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, false
	}
	// The name, in parentheses, may hold any character; after it come the state and numbers.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const parent, user, childrenUser = 1, 11, 13
	if len(fields) < childrenUser+2 {
		return p, false
	}
	number := func(i int) float64 {
		n, _ := strconv.ParseFloat(string(fields[i]), 64) // it is one
		return n
	}
	return processStat{
		parent: int(number(parent)),
		cpu:    (number(user) + number(user+1)) / ticks, childrenCPU: (number(childrenUser) + number(childrenUser+1)) / ticks,
	}, true
}
