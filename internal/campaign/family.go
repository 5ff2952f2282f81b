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

// familyWatch watches a database's processes: the first of them, and its children.
type familyWatch struct{ watch }

// watchDatabase watches the database of an engine, if it has processes that are to be seen from here.
func watchDatabase(ctx context.Context, e Engine) (*familyWatch, error) {
	w := &familyWatch{}
	w.read = func() map[string]float64 { return nil }
	if serving, ok := e.(Serving); ok {
		pid, err := serving.Server(ctx)
		if err != nil {
			return nil, err
		}
		w.read = func() map[string]float64 { return readFamily(pid) }
	}
	w.start()
	return w, nil
}

// Figures of a family of processes.
const (
	familyCPU    = "cpu"    // seconds
	familyMemory = "memory" // bytes
)

// into adds what the database has used while a run was measured. Its peak is that of the run.
func (w *familyWatch) into(run *workload.Run) {
	before, after, ok := w.measured(run)
	if !ok {
		return
	}
	p := &workload.Process{CPUSeconds: after[familyCPU] - before[familyCPU], MemoryBefore: int64(before[familyMemory]), MemoryAfter: int64(after[familyMemory])}
	if run.Measured > 0 {
		p.CPU = p.CPUSeconds / run.Measured / float64(runtime.GOMAXPROCS(0))
	}
	for _, s := range w.seen {
		p.MemoryPeak = max(p.MemoryPeak, int64(s.figures[familyMemory]))
	}
	run.Usage.Database = p
}

// readFamily adds up a process and its children. Those that have ended count with their parent, who has waited for
// them. Memory that they share, such as a database's cache, is counted once: as much as the one has touched that has
// touched most.
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

// childrenOf is nobody where the system does not say.
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

// processStat is of a process. Times are in seconds.
type processStat struct {
	parent           int
	cpu, childrenCPU float64 // of children that have ended
}

// ticks are in a second, of Linux's figures, whatever its clock does.
const ticks = 100

func readProcessStat(pid int) (p processStat, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, false
	}
	// The name, in brackets, may hold anything; what follows are numbers, and the state.
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
