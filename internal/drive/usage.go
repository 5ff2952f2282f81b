package drive

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/probe"
	"brokerage/internal/result"
)

// usageReading is what the load generator and the target  have used at one moment.
type usageReading struct {
	at     time.Time
	self   result.ProcessUsage // CPUSeconds, MemoryAfter and MemoryPeak
	target reading
}

// measuredUsage is the usage at the beginning and at the end of the measured time, and what was sampled during it.
type measuredUsage struct {
	before, after usageReading
	resources     *result.Resources
}

// readUsage reads all figures that are available. If the target  does not report its figures, the result is without
// them.
func (d *driver) readUsage(ctx context.Context) usageReading {
	u := usageReading{at: time.Now()}
	bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	u.target, _ = d.target.reading(bounded)
	u.self = readSelf()
	return u
}

// usage returns what was used between two readings.
func usage(m measuredUsage, t result.Target, cores int) result.Usage {
	seconds := m.after.at.Sub(m.before.at).Seconds()
	u := result.Usage{Generator: processUsage(m.before.self, m.after.self, seconds, cores)}
	if b, a := m.before.target.process, m.after.target.process; a != nil && b != nil &&
		a.CPUSeconds >= b.CPUSeconds { // or else it was restarted
		p := processUsage(*b, *a, seconds, cores)
		if !t.SameHost {
			p.CPU = 0 // the number of its cores is unknown
		}
		u.Service = &p
	}
	if m.resources.Find(result.OfHost, probe.UserSeconds) != nil {
		used := func(figure string) float64 {
			n, _ := m.resources.Used(result.OfHost, figure) // 0 if it could not be read
			return n
		}
		u.Host = &result.Host{ReadBytes: int64(used(probe.ReadBytes)), WriteBytes: int64(used(probe.WriteBytes))}
		busy := used(probe.UserSeconds) + used(probe.SystemSeconds) + used(probe.StealSeconds)
		if all := busy + used(probe.IOWaitSeconds) + used(probe.IdleSeconds); all > 0 {
			u.Host.CPU, u.Host.IOWait = busy/all, used(probe.IOWaitSeconds)/all
		}
	}
	u.Database = m.resources.Process(result.OfDatabase, seconds, cores)
	u.Others = others(&u, m.resources, t)
	for name, after := range m.after.target.figures {
		if strings.HasPrefix(name, "brokerage_process_") {
			continue // they are among the resources
		}
		if before, ok := m.before.target.figures[name]; ok {
			if u.Figures == nil {
				u.Figures = make(map[string]result.Change)
			}
			u.Figures[name] = result.Change{Before: before, After: after}
		}
	}
	return u
}

// serverless are the engines without a process of their own.
var serverless = []string{"sqlite", "null"}

// others returns the share of the computer that none of the processes of a run used, or nil if not all of those that
// may be on it are known.
func others(u *result.Usage, r *result.Resources, t result.Target) *float64 {
	known := u.Host != nil
	used := u.Generator.CPUSeconds
	if t.SameHost && t.Kind == result.HTTP {
		known = known && u.Service != nil
		if u.Service != nil {
			used += u.Service.CPUSeconds
		}
	}
	if t.SameHost && !slices.Contains(serverless, t.Engine) {
		known = known && u.Database != nil
	}
	if u.Database != nil {
		used += u.Database.CPUSeconds
	}
	if !known {
		return nil
	}
	host := make(probe.Figures)
	for _, figure := range []string{probe.UserSeconds, probe.SystemSeconds, probe.StealSeconds, probe.InterruptSeconds,
		probe.IOWaitSeconds, probe.IdleSeconds} {
		host[figure], _ = r.Used(result.OfHost, figure) // 0 if it could not be read
	}
	share, ok := host.Others(used)
	if !ok {
		return nil
	}
	return &share
}

func processUsage(before, after result.ProcessUsage, seconds float64, cores int) result.ProcessUsage {
	used := after
	used.CPUSeconds -= before.CPUSeconds
	used.CPU = used.CPUSeconds / max(seconds*float64(cores), 1e-9)
	used.MemoryBefore = before.MemoryAfter
	return used
}

// ThisMachine describes the computer. A figure that the system does not report is zero, and the processor is "unknown".
func ThisMachine() result.Machine {
	kilobytes, _, _ := strings.Cut(procValue("/proc/meminfo", "MemTotal"), " kB")
	memory, _ := strconv.ParseInt(kilobytes, 10, 64)
	return result.Machine{
		CPU: cmp.Or(procValue("/proc/cpuinfo", "model name"), "unknown"), Cores: runtime.GOMAXPROCS(0), Memory: memory << 10,
		OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
	}
}

// procValue returns the first value of a name in a file of "name : value" lines, which only Linux has.
func procValue(file, name string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
