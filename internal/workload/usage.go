package workload

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// usageReading is what all processes and the host have used at one moment.
type usageReading struct {
	at      time.Time
	self    processReading
	peak    int64
	host    hostReading
	hasHost bool
	backend reading
}

// readUsage reads all figures that are available. Without those of the backend a result lacks them, but is not lost.
func (d *driver) readUsage(ctx context.Context) usageReading {
	u := usageReading{at: time.Now()}
	bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	u.backend, _ = d.backend.reading(bounded)
	u.self, u.peak = readSelf()
	u.host, u.hasHost = readHost()
	return u
}

// usage returns what was used between two readings.
func usage(m measuredUsage, t Target, cores int) Usage {
	seconds := m.after.at.Sub(m.before.at).Seconds()
	u := Usage{Generator: processUsage(m.before.self, m.after.self, seconds, cores), Shared: t.Kind == directTarget}
	u.Generator.MemoryPeak = m.after.peak
	if b, a := m.before.backend.process, m.after.backend.process; a != nil && b != nil {
		p := processUsage(*b, *a, seconds, cores)
		if !t.SameHost {
			p.CPU = 0 // the number of its cores is unknown
		}
		u.Service = &p
	}
	if m.before.hasHost && m.after.hasHost {
		h := m.before.host.until(m.after.host)
		u.Host = &h
	}
	for name, after := range m.after.backend.figures {
		if before, ok := m.before.backend.figures[name]; ok {
			if u.Figures == nil {
				u.Figures = make(map[string]Change)
			}
			u.Figures[name] = Change{before, after}
		}
	}
	return u
}

func processUsage(before, after processReading, seconds float64, cores int) Process {
	p := Process{
		CPUSeconds:   after.cpuSeconds - before.cpuSeconds,
		MemoryBefore: before.memoryBytes, MemoryAfter: after.memoryBytes,
	}
	if seconds > 0 {
		p.CPU = p.CPUSeconds / seconds / float64(cores)
	}
	return p
}

// hostReading is read from /proc, on Linux only.
type hostReading struct {
	busy, ioWait, all float64 // ticks
	read, written     int64   // bytes
}

func readHost() (h hostReading, ok bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return h, false
	}
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line) // cpu user nice system idle iowait irq softirq steal; guests are part of user
	if len(fields) < 9 || fields[0] != "cpu" {
		return h, false
	}
	for i, f := range fields[1:9] {
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return h, false
		}
		h.all += n
		switch i {
		case 3:
		case 4:
			h.ioWait += n
		default:
			h.busy += n
		}
	}
	h.read, h.written = readDisks()
	return h, true
}

// readDisks returns the bytes that disks have read and written. Partitions and virtual devices (device mapper, RAID,
// loop) are left out, since they would count twice.
func readDisks() (read, written int64) {
	text, err := os.ReadFile("/proc/diskstats")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 10 {
			continue
		}
		name := fields[2]
		if slices.ContainsFunc(virtualDisks[:], func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		if _, err := os.Stat("/sys/block/" + name); err != nil {
			continue
		}
		const sector = 512 // in this file, whatever the disk has
		if n, err := strconv.ParseInt(fields[5], 10, 64); err == nil {
			read += n * sector
		}
		if n, err := strconv.ParseInt(fields[9], 10, 64); err == nil {
			written += n * sector
		}
	}
	return read, written
}

// virtualDisks are the prefixes of devices that are no disks of their own.
var virtualDisks = [...]string{"loop", "ram", "dm-", "md", "zram"}

func (h hostReading) until(after hostReading) (u Host) {
	if all := after.all - h.all; all > 0 {
		u.CPU, u.IOWait = (after.busy-h.busy)/all, (after.ioWait-h.ioWait)/all
	}
	u.ReadBytes, u.WriteBytes = after.read-h.read, after.written-h.written
	return u
}

// residentMemory returns the resident memory of this process in bytes, or 0 if it is unknown.
func residentMemory() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// machine describes this computer.
func machine() Machine {
	m := Machine{
		CPU: "unknown", Cores: runtime.GOMAXPROCS(0), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
	}
	if name := procValue("/proc/cpuinfo", "model name"); name != "" {
		m.CPU = name
	}
	if kilobytes, ok := strings.CutSuffix(procValue("/proc/meminfo", "MemTotal"), " kB"); ok {
		if n, err := strconv.ParseInt(kilobytes, 10, 64); err == nil {
			m.Memory = n << 10
		}
	}
	return m
}

// procValue returns the first value of a name in a file of "name : value" lines.
func procValue(file, name string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
