package drive

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/prometheus/procfs"

	"brokerage/internal/probe"
	"brokerage/internal/result"
)

// usage returns what was used between the first and the last sample of the resources; nothing if r is nil.
func usage(r *result.Resources, t result.Target, cores int) (u result.Usage) {
	if g := r.Process(result.OfGenerator, cores); g != nil {
		u.Generator = *g
	}
	u.Service, u.Database = r.Process(result.OfService, cores), r.Process(result.OfDatabase, cores)
	if u.Service != nil && !t.SameHost {
		u.Service.CPU = 0 // the number of its cores is unknown
	}
	host := r.Counted(result.OfHost)
	busy := host[probe.UserSeconds] + host[probe.SystemSeconds] + host[probe.StealSeconds]
	if all := busy + host[probe.IOWaitSeconds] + host[probe.IdleSeconds]; all > 0 {
		u.Host = &result.Host{CPU: busy / all, IOWait: host[probe.IOWaitSeconds] / all}
	}
	u.Others = others(&u, host, t)
	return u
}

// serverless are the engines without a process of their own.
var serverless = []string{"sqlite", "null"}

// others returns the share of the computer's processor time that other programs used. It is nil if that time is
// unknown, or the time of a process of the run that may be on the computer.
func others(u *result.Usage, host probe.Figures, t result.Target) *float64 {
	used := u.Generator.CPUSeconds
	service := t.SameHost && t.Kind == result.HTTP
	if service && u.Service == nil || t.SameHost && u.Database == nil && !slices.Contains(serverless, t.Engine) {
		return nil
	}
	if service {
		used += u.Service.CPUSeconds
	}
	if u.Database != nil {
		used += u.Database.CPUSeconds
	}
	share, ok := host.Others(used)
	if !ok {
		return nil
	}
	return &share
}

// ThisMachine describes the computer. Figures that the system does not report are zero; CPU is "unknown" then.
func ThisMachine() result.Machine {
	m := result.Machine{Cores: runtime.GOMAXPROCS(0), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()}
	files, _ := procfs.NewDefaultFS() // without it, nothing can be read
	if memory, err := files.Meminfo(); err == nil && memory.MemTotalBytes != nil {
		m.Memory = int64(*memory.MemTotalBytes) //nolint:gosec // no computer has more
	}
	processors, _ := os.ReadFile("/proc/cpuinfo") // a call of procfs would compile only on Linux
	for line := range strings.Lines(string(processors)) {
		if name, value, _ := strings.Cut(line, ":"); m.CPU == "" && strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
		}
	}
	m.CPU = cmp.Or(m.CPU, "unknown")
	return m
}
