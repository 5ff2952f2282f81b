package workload

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/probe"
)

// usageReading is what all processes and the host have used at one moment.
type usageReading struct {
	at      time.Time
	self    Process       // CPUSeconds, MemoryAfter and MemoryPeak
	host    probe.Figures // nil if the figures of the processors are not available
	backend reading
}

// measuredUsage is the usage at the beginning and at the end of the measured time, and what was sampled during it.
type measuredUsage struct {
	before, after usageReading
	resources     *Resources
}

// readUsage reads all figures that are available. If the backend does not report its figures, the result is without
// them.
func (d *driver) readUsage(ctx context.Context) usageReading {
	u := usageReading{at: time.Now()}
	bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	u.backend, _ = d.backend.reading(bounded)
	u.self, u.host = readSelf(), readHost()
	return u
}

// usage returns what was used between two readings.
func usage(m measuredUsage, t Target, cores int) Usage {
	seconds := m.after.at.Sub(m.before.at).Seconds()
	u := Usage{Generator: processUsage(m.before.self, m.after.self, seconds, cores)}
	if b, a := m.before.backend.process, m.after.backend.process; a != nil && b != nil {
		p := processUsage(*b, *a, seconds, cores)
		if !t.SameHost {
			p.CPU = 0 // the number of its cores is unknown
		}
		u.Service = &p
	}
	if b, a := m.before.host, m.after.host; b != nil && a != nil {
		used := func(name string) float64 { return a[name] - b[name] }
		u.Host = &Host{ReadBytes: int64(used(probe.ReadBytes)), WriteBytes: int64(used(probe.WriteBytes))}
		busy := used(probe.UserSeconds) + used(probe.SystemSeconds) + used(probe.StealSeconds)
		if all := busy + used(probe.IOWaitSeconds) + used(probe.IdleSeconds); all > 0 {
			u.Host.CPU, u.Host.IOWait = busy/all, used(probe.IOWaitSeconds)/all
		}
	}
	u.Database = m.resources.process(OfDatabase, seconds, cores)
	for name, after := range m.after.backend.figures {
		if strings.HasPrefix(name, "brokerage_process_") {
			continue // they are among the resources
		}
		if before, ok := m.before.backend.figures[name]; ok {
			if u.Figures == nil {
				u.Figures = make(map[string]Change)
			}
			u.Figures[name] = Change{before, after}
		}
	}
	return u
}

func processUsage(before, after Process, seconds float64, cores int) Process {
	used := after
	used.CPUSeconds -= before.CPUSeconds
	used.CPU = ratio(used.CPUSeconds, seconds*float64(cores))
	used.MemoryBefore = before.MemoryAfter
	return used
}

// The files that are read here exist on Linux only. A figure that is missing or is not a number is 0.

func lines(file string) []string {
	text, _ := os.ReadFile(file)
	return strings.Split(string(text), "\n")
}

func number(field string) int64 {
	n, _ := strconv.ParseInt(field, 10, 64)
	return n
}

// readHost returns nil if the figures of the processors are not available.
func readHost() probe.Figures {
	r := probe.Here.Host()
	if _, ok := r.Figures[probe.UserSeconds]; !ok {
		return nil
	}
	return r.Figures
}

// residentMemory returns the resident memory of this process in bytes, or 0 if it is unknown.
func residentMemory() int64 {
	fields := strings.Fields(lines("/proc/self/statm")[0])
	if len(fields) < 2 {
		return 0
	}
	return number(fields[1]) * int64(os.Getpagesize())
}

// ThisMachine describes the computer. A figure that the system does not report is zero, and the processor is "unknown".
func ThisMachine() Machine {
	m := Machine{
		CPU: "unknown", Cores: runtime.GOMAXPROCS(0), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
	}
	if name := procValue("/proc/cpuinfo", "model name"); name != "" {
		m.CPU = name
	}
	if kilobytes, ok := strings.CutSuffix(procValue("/proc/meminfo", "MemTotal"), " kB"); ok {
		m.Memory = number(kilobytes) << 10
	}
	return m
}

// procValue returns the first value of a name in a file of "name : value" lines.
func procValue(file, name string) string {
	for _, line := range lines(file) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
