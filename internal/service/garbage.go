package service

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"brokerage/internal/format"
	"brokerage/internal/probe"
)

// How much garbage may gather before it is collected: a quarter of the usable memory and at most 128 MiB; but at most
// four times as much as there is live memory, and at least a quarter of that. Go's default is as much as there is.
const (
	garbageShare, garbageMax = 4, 128 << 20
	percentMin, percentMax   = 25, 400
)

// tuneCollector sets the targets of the garbage collector by the memory that this process may use, except for what GOGC
// and GOMEMLIMIT set. Go's limit is three quarters of that memory, because Go does not count SQLite's page caches.
func (s *service) tuneCollector() {
	usable := probe.Here.UsableMemory()
	if usable == 0 {
		return // unknown: Go's defaults
	}
	settings := []any{"usable_memory", format.Bytes(usable)}
	if os.Getenv("GOMEMLIMIT") == "" {
		limit := usable / 4 * 3
		before := debug.SetMemoryLimit(limit)
		s.onClose(func() error { debug.SetMemoryLimit(before); return nil })
		settings = append(settings, "go_limit", format.Bytes(limit))
	}
	if os.Getenv("GOGC") == "" {
		garbage := min(usable/garbageShare, garbageMax)
		s.onClose(boundGarbage(garbage))
		settings = append(settings, "garbage_limit", format.Bytes(garbage))
	}
	s.log.Info("garbage collector", settings...)
}

// gcTuner adapts the percentage of the garbage collector (GOGC) after each collection, because Go has no setting for
// an amount of garbage.
type gcTuner struct {
	garbage int64 // bytes

	mu      sync.Mutex
	percent int
	stopped bool
}

// boundGarbage lets garbage gather up to a number of bytes, within the bounds in percent. The function that it returns
// restores the percentage from before.
func boundGarbage(garbage int64) (restore func() error) {
	c := &gcTuner{garbage: garbage, percent: percentMax}
	before := debug.SetGCPercent(c.percent)
	c.adapt()
	return func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.stopped = true
		debug.SetGCPercent(before)
		return nil
	}
}

// adapt sets the percentage for the live memory that the last collection found. The next collection calls it again,
// since it finds an object that nobody refers to.
func (c *gcTuner) adapt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if percent := garbagePercent(c.garbage, live[0].Value.Uint64()); percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
	runtime.AddCleanup(new([64]byte), (*gcTuner).adapt, c)
}

// garbagePercent returns the percentage of live memory that an amount of garbage is, within its bounds.
func garbagePercent(garbage int64, live uint64) int {
	return int(min(max(100*uint64(garbage)/max(live, 1), percentMin), percentMax))
}
