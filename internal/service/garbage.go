package service

import (
	"os"
	"runtime/debug"

	"brokerage/internal/format"
	"brokerage/internal/probe"
)

// garbagePercent is how much garbage may gather until it is collected, in percent of the live memory (GOGC). Near the
// memory limit, Go collects more often.
const garbagePercent = 200

// tuneCollector sets the targets of the garbage collector, except for those that GOGC and GOMEMLIMIT set. The limit is
// three quarters of the memory that this process may use, because Go does not count SQLite's page caches.
func (s *service) tuneCollector() {
	if os.Getenv("GOGC") == "" {
		before := debug.SetGCPercent(garbagePercent)
		s.onClose(func() error { debug.SetGCPercent(before); return nil })
	}
	usable := probe.Here.UsableMemory()
	if usable == 0 || os.Getenv("GOMEMLIMIT") != "" {
		return // without a limit, or with another one
	}
	limit := usable / 4 * 3
	before := debug.SetMemoryLimit(limit)
	s.onClose(func() error { debug.SetMemoryLimit(before); return nil })
	s.log.Info("memory", "usable", format.Bytes(usable), "go_limit", format.Bytes(limit))
}
