package telemetry

import (
	"os"
	"strings"

	"brokerage/internal/probe"
)

// A ProcessMetric is a metric of the service's process.
type ProcessMetric struct{ Name, help string }

// ProcessMetrics are the metrics of the service's process by the figures of package probe. The Go client's own have the
// processor time and the memory.
var ProcessMetrics = map[string]ProcessMetric{
	probe.UserSeconds:   {"brokerage_process_user_seconds_total", "Processor time of the process in its own code."},
	probe.SystemSeconds: {"brokerage_process_system_seconds_total", "Processor time of the process in the system."},
	probe.IOWaitSeconds: {
		"brokerage_process_io_wait_seconds_total",
		"Time for which the process waited for disks; no series where the kernel does not count it.",
	},
	probe.ReadCalls:  {"brokerage_process_read_calls_total", "Calls of the system to read, from files and connections."},
	probe.WriteCalls: {"brokerage_process_write_calls_total", "Calls of the system to write, to files and connections."},
	probe.ReadBytes:  {"brokerage_process_read_bytes_total", "Bytes that the process had read from disks."},
	probe.WriteBytes: {"brokerage_process_written_bytes_total", "Bytes that the process had written to disks."},
	probe.PeakMemory: {"brokerage_process_peak_memory_bytes", "Largest resident memory of the process since its start."},
}

// sendProcess sends what the system counts about this process; there is no series for what it does not count.
func sendProcess(out series) {
	for figure, value := range probe.Here.Process(os.Getpid()).Figures {
		if metric, ok := ProcessMetrics[figure]; ok {
			out.value(strings.TrimPrefix(metric.Name, "brokerage_"), metric.help, value)
		}
	}
}
