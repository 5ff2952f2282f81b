package telemetry

import (
	"os"

	"brokerage/internal/probe"
)

// ProcessMetrics are the metrics of the service's process by the figures of package probe. The Go client's own have the
// processor time and the memory.
var ProcessMetrics = map[string]string{
	probe.UserSeconds:   "brokerage_process_user_seconds_total",
	probe.SystemSeconds: "brokerage_process_system_seconds_total",
	probe.IOWaitSeconds: "brokerage_process_io_wait_seconds_total",
	probe.ReadCalls:     "brokerage_process_read_calls_total",
	probe.WriteCalls:    "brokerage_process_write_calls_total",
	probe.ReadBytes:     "brokerage_process_read_bytes_total",
	probe.WriteBytes:    "brokerage_process_written_bytes_total",
	probe.PeakMemory:    "brokerage_process_peak_memory_bytes",
}

// processHelp has the help texts of ProcessMetrics.
var processHelp = map[string]string{
	probe.UserSeconds:   "Processor time of the process in its own code.",
	probe.SystemSeconds: "Processor time of the process in the system.",
	probe.IOWaitSeconds: "Time for which the process waited for disks; no series where the kernel does not count it.",
	probe.ReadCalls:     "Calls of the system to read, from files and connections.",
	probe.WriteCalls:    "Calls of the system to write, to files and connections.",
	probe.ReadBytes:     "Bytes that the process had read from disks.",
	probe.WriteBytes:    "Bytes that the process had written to disks.",
	probe.PeakMemory:    "Largest resident memory of the process since its start.",
}

// sendProcess sends what the system counts about this process; there is no series for what it does not count.
func sendProcess(out series) {
	for figure, value := range probe.Here.Process(os.Getpid()).Figures {
		if name, ok := ProcessMetrics[figure]; ok {
			out.value(name[len("brokerage_"):], processHelp[figure], value)
		}
	}
}
