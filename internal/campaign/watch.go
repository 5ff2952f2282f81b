package campaign

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"brokerage/internal/workload"
)

// watch samples figures all through a run: which part of the run counts is known only at its end.
type watch struct {
	samples []sample
	stop    chan struct{}
	running sync.WaitGroup
}

// sample holds the figures at one moment.
type sample struct {
	at      time.Time
	figures map[string]float64
}

const sampleEvery = 250 * time.Millisecond

// startWatch samples the figures that read returns until end is called, or not at all when there are none.
func startWatch(read func() map[string]float64) *watch {
	w := &watch{stop: make(chan struct{})}
	take := func() bool {
		figures := read()
		if figures != nil {
			w.samples = append(w.samples, sample{time.Now(), figures})
		}
		return figures != nil
	}
	if !take() {
		return w
	}
	w.running.Go(func() {
		defer take()
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
				take()
			}
		}
	})
	return w
}

func (w *watch) end() {
	close(w.stop)
	w.running.Wait()
}

// measured returns the figures at the beginning and at the end of the measured part of a run. ok is false when there
// are none.
func (w *watch) measured(run *workload.Run) (before, after map[string]float64, ok bool) {
	if len(w.samples) == 0 {
		return nil, nil, false
	}
	nearest := func(t time.Time) map[string]float64 {
		return slices.MinFunc(w.samples, func(a, b sample) int {
			return cmp.Compare(a.at.Sub(t).Abs(), b.at.Sub(t).Abs())
		}).figures
	}
	from := run.Started.Add(seconds(run.Warmed))
	return nearest(from), nearest(from.Add(seconds(run.Measured))), true
}

// watchService samples the input and output of the service's process. There are none without /proc.
func watchService(pid int) *watch {
	return startWatch(func() map[string]float64 { return readProcess(pid, "io") })
}

// addService adds the service's input and output while a run was measured, and the peak of its memory.
func (w *watch) addService(run *workload.Run, pid int) {
	if before, after, ok := w.measured(run); ok {
		if run.Usage.Figures == nil {
			run.Usage.Figures = make(map[string]workload.Change)
		}
		for name, figure := range map[string]string{
			"read_bytes": "process_disk_read_bytes", "write_bytes": "process_disk_written_bytes",
		} {
			run.Usage.Figures[figure] = workload.Change{Before: before[name], After: after[name]}
		}
	}
	service := run.Usage.Service
	if peak := readProcess(pid, "status")["VmHWM"]; peak > 0 && service != nil && service.MemoryPeak == 0 {
		service.MemoryPeak = int64(peak * kilobyte)
	}
}

// watchDatabase samples the processes of a database, if there are any on this machine.
func watchDatabase(ctx context.Context, e Engine) (*watch, error) {
	pid, err := e.Server(ctx)
	if err != nil {
		return nil, err
	}
	return startWatch(func() map[string]float64 { return readFamily(pid) }), nil
}

// addDatabase adds what the database used while a run was measured. The peak of its memory is that of the whole run.
func (w *watch) addDatabase(run *workload.Run) {
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
	for _, s := range w.samples {
		p.MemoryPeak = max(p.MemoryPeak, int64(s.figures[familyMemory]))
	}
	run.Usage.Database = p
}

const kilobyte = 1024 // as the system means its kB

// readProcess reads the numbers of a file of the system about a process.
func readProcess(pid int, file string) map[string]float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return nil
	}
	return numbers(text)
}

// numbers reads lines of a name, a colon and a number, and skips other lines.
func numbers(text []byte) map[string]float64 {
	found := make(map[string]float64)
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(line, []byte{':'})
		fields := bytes.Fields(value)
		if len(fields) == 0 {
			continue
		}
		if n, err := strconv.ParseFloat(string(fields[0]), 64); err == nil {
			found[string(bytes.TrimSpace(name))] = n
		}
	}
	return found
}

// The figures of a family of processes.
const (
	familyCPU    = "cpu"    // seconds
	familyMemory = "memory" // bytes
)

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
		shared = max(shared, memory["RssShmem"])
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
	const ticks = 100 // a second, in Linux's figures, whatever its clock does
	p.parent = int(number(parent))
	p.cpu = (number(user) + number(user+1)) / ticks
	p.childrenCPU = (number(childrenUser) + number(childrenUser+1)) / ticks
	return p, true
}
