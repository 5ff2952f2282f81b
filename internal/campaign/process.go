package campaign

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"brokerage/internal/workload"
)

// processWatch takes down, all through a run, what the system says of a process:
// which part of the run counts is known when it is over. Where there is no
// /proc, it says nothing.
type processWatch struct {
	pid   int
	seen  []ioSample
	stop  chan struct{}
	ended chan struct{}
}

// ioSample is what a process has read from and written to disks, by the system's
// names.
type ioSample struct {
	at    time.Time
	bytes map[string]float64
}

const sampleEvery = 250 * time.Millisecond

func watchProcess(pid int) *processWatch {
	w := &processWatch{pid: pid, stop: make(chan struct{}), ended: make(chan struct{})}
	if !w.sample() {
		close(w.ended)
		return w
	}
	go func() {
		defer close(w.ended)
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				w.sample()
				return
			case <-tick.C:
				w.sample()
			}
		}
	}()
	return w
}

// sample tells whether there was anything to see.
func (w *processWatch) sample() bool {
	bytes := readProcess(w.pid, "io")
	if bytes != nil {
		w.seen = append(w.seen, ioSample{time.Now(), bytes})
	}
	return bytes != nil
}

// The system's names, and ours.
var ioFigures = map[string]string{"read_bytes": "process_disk_read_bytes", "write_bytes": "process_disk_written_bytes"}

func (w *processWatch) end() {
	close(w.stop)
	<-w.ended
}

// into adds the service's input and output while it was measured, and its memory
// at its peak.
func (w *processWatch) into(run *workload.Run) {
	if len(w.seen) > 0 {
		from := run.Started.Add(seconds(run.Warmed))
		before, after := w.at(from), w.at(from.Add(seconds(run.Measured)))
		if run.Usage.Figures == nil {
			run.Usage.Figures = make(map[string]workload.Change)
		}
		for name, figure := range ioFigures {
			run.Usage.Figures[figure] = workload.Change{Before: before[name], After: after[name]}
		}
	}
	const kilobyte = 1024 // as the system means its kB
	if peak := readProcess(w.pid, "status")["VmHWM"]; peak > 0 && run.Usage.Service != nil && run.Usage.Service.MemoryPeak == 0 {
		run.Usage.Service.MemoryPeak = int64(peak * kilobyte)
	}
}

// at gives the sample that is nearest to a moment.
func (w *processWatch) at(moment time.Time) map[string]float64 {
	best := w.seen[0]
	for _, s := range w.seen[1:] {
		if s.at.Sub(moment).Abs() < best.at.Sub(moment).Abs() {
			best = s
		}
	}
	return best.bytes
}

// readProcess reads the numbers of a file of the system about a process.
func readProcess(pid int, file string) map[string]float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return nil
	}
	return numbers(text)
}

// numbers reads lines of a name, a colon and a number, past those that are none.
func numbers(text []byte) map[string]float64 {
	found := make(map[string]float64)
	for line := range bytes.Lines(text) {
		name, value, ok := bytes.Cut(line, []byte{':'})
		fields := bytes.Fields(value)
		if !ok || len(fields) == 0 {
			continue
		}
		if n, err := strconv.ParseFloat(string(fields[0]), 64); err == nil {
			found[string(bytes.TrimSpace(name))] = n
		}
	}
	return found
}
