package campaign

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"brokerage/internal/workload"
)

// processWatch measures the service's process. It has no figures where there is no /proc.
type processWatch struct {
	watch

	pid int
}

func watchProcess(pid int) *processWatch {
	w := &processWatch{pid: pid}
	w.read = func() map[string]float64 { return readProcess(pid, "io") }
	w.start()
	return w
}

// The system's names for what a process has read from and written to disks, and ours.
var ioFigures = map[string]string{"read_bytes": "process_disk_read_bytes", "write_bytes": "process_disk_written_bytes"}

// addTo adds the service's input and output while a run was measured, and the peak of its memory.
func (w *processWatch) addTo(run *workload.Run) {
	if before, after, ok := w.measured(run); ok {
		if run.Usage.Figures == nil {
			run.Usage.Figures = make(map[string]workload.Change)
		}
		for name, figure := range ioFigures {
			run.Usage.Figures[figure] = workload.Change{Before: before[name], After: after[name]}
		}
	}
	if peak := readProcess(w.pid, "status")["VmHWM"]; peak > 0 && run.Usage.Service != nil &&
		run.Usage.Service.MemoryPeak == 0 {
		run.Usage.Service.MemoryPeak = int64(peak * kilobyte)
	}
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
